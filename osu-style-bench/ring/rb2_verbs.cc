// rb2_verbs: the rings and plain writes on a real RDMA device, one line a measurement. scripts/verbs-bench
// runs it beside perftest.
//
// usage: rb2_verbs rate MIX BYTES MESSAGES      one way, as fast as it goes
//        rb2_verbs latency MIX BYTES MESSAGES   a message there, a message back; half the median
//        rb2_verbs write CHAIN BYTES MESSAGES   WRITEs of registered memory, CHAIN of them a doorbell
// Prints: what, messages/s, MB/s, half round trip (us), then requests, doorbells and completions a message,
// of both sides together.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "osu-style-bench/ring/loads.hpp"
#include "osu-style-bench/ring/verbs_link.hpp"

namespace rb2::bench::study {
namespace {

struct Measured {
    double seconds = 0;
    std::uint64_t messages = 0;      ///< timed
    std::uint64_t all_messages = 0;  ///< with the warm-up and both directions
    double half_round_trip_us = 0;
};

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0)
        throw std::invalid_argument(fmt::format("'{}' is not a number above 0", text));
    return value;
}

template <class M>
Measured over(const Job& job) {
    const Figures figures = run_swept<VerbsLink<M>>(job);
    Measured measured{
        .seconds = figures.seconds, .messages = figures.messages, .all_messages = job.messages + job.warmup};
    if (!figures.latency_us.empty()) {
        auto sorted = figures.latency_us;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        measured.half_round_trip_us = static_cast<double>(*middle) / 2;
        measured.all_messages *= 2;
    }
    return measured;
}

Measured run_mix(std::string_view name, const Job& job) {
    namespace mix = rb2::ring::mix;
    if (name == "rb2") return over<mix::Rb2>(job);
    if (name == "rb2-immediate") return over<mix::Rb2Immediate>(job);
    if (name == "mvapich") return over<mix::Mvapich<128>>(job);
    if (name == "farm") return over<mix::Farm>(job);
    if (name == "farm-twice") return over<mix::FarmTwice>(job);
    if (name == "socksdirect") return over<mix::SocksDirect>(job);
    if (name == "l5") return over<mix::L5>(job);
    throw std::invalid_argument(fmt::format(
        "no mix '{}'; there are rb2, rb2-immediate, mvapich, farm, farm-twice, socksdirect, l5", name));
}

/// WRITEs from one buffer into one buffer, `chain` of them a doorbell, as many under way as the queue holds.
Measured run_writes(std::uint64_t chain, const Job& job) {
    namespace verbs = rb2::fabric::verbs;
    Memory from(job.bytes, job.pages, {});
    Memory to(job.bytes, job.pages, {});
    verbs::CompletionQueue queue(verbs_device());
    verbs::Endpoint a(queue);
    verbs::Endpoint b(queue);
    a.connect(b.card());
    b.connect(a.card());
    const verbs::Region source = a.register_memory(from.bytes().first(job.bytes));
    const verbs::Region target = b.register_memory(to.bytes().first(job.bytes));
    const auto write_all = [&](std::uint64_t count) {
        for (std::uint64_t done = 0; done < count;) {
            const Status status = a.write({source.bytes().data(), job.bytes, source.key()}, target.remote());
            done += status == Status::ok ? 1 : 0;
            if ((status != Status::ok || done % chain == 0) && a.flush() != Status::ok)
                throw std::runtime_error(a.failure());
        }
        while (!a.settle()) continue;
    };
    write_all(job.warmup);
    const auto start = std::chrono::steady_clock::now();
    write_all(job.messages);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (a.status() != Status::ok) throw std::runtime_error(a.failure());
    add_to_tally(a.counters());
    return {.seconds = seconds.count(),
            .messages = job.messages,
            .all_messages = job.messages + job.warmup,
            .half_round_trip_us = 0};
}

void run(std::span<char*> arguments) {
    if (arguments.size() != 5)
        throw std::invalid_argument("usage: rb2_verbs rate|latency|write MIX|CHAIN BYTES MESSAGES");
    const std::string_view load = arguments[1];
    Job job;
    job.load = load == "latency" ? Load::exchange : Load::stream;
    job.bytes = job.reply_bytes = number(arguments[3]);
    job.messages = number(arguments[4]);
    job.warmup = std::max<std::uint64_t>(job.messages / 10, 1);
    job.pages = Pages::normal;
    if (load != "latency" && load != "rate" && load != "write")
        throw std::invalid_argument(fmt::format("no load '{}'; there are rate, latency, write", load));
    const Measured measured =
        load == "write" ? run_writes(number(arguments[2]), job) : run_mix(arguments[2], job);
    const rb2::fabric::verbs::Counters& tally = verbs_tally();
    const auto per_message = [&](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(measured.all_messages);
    };
    const double rate = static_cast<double>(measured.messages) / measured.seconds;
    fmt::print("{} {} {} {:.0f} {:.2f} {:.2f} {:.4f} {:.4f} {:.4f}\n", load, arguments[2], job.bytes, rate,
               rate * static_cast<double>(job.bytes) * 1e-6, measured.half_round_trip_us,
               per_message(tally.requests), per_message(tally.doorbells), per_message(tally.completions));
}

}  // namespace
}  // namespace rb2::bench::study

int main(int argc, char** argv) {
    try {
        rb2::bench::study::run({argv, static_cast<std::size_t>(argc)});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rb2_verbs: %s\n", error.what());
        return 1;
    }
}
