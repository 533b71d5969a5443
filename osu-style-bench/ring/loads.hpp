#pragma once
// The timed loops, over any link and any application.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "osu-style-bench/ring/applications.hpp"
#include "osu-style-bench/ring/job.hpp"
#include "osu-style-bench/ring/team.hpp"
#include "osu-style-bench/ring/traffic.hpp"
#include "runtime/fabric/costed/clock.hpp"

namespace rb2::bench::study {

using Time = rb2::fabric::costed::TscClock;

/// What one pair of threads shares besides its link.
struct PairState {
    Figures figures;                ///< of the side that measures
    std::atomic<bool> done{false};  ///< it has got everything
};

/// Keeps a sender going until its last message has arrived.
template <LinkEnd End>
void see_off(End& end, const PairState& state, const Pace& pace) {
    Pace::Wait wait(pace);
    while (!state.done.load(std::memory_order_acquire)) {
        static_cast<void>(end.push());
        end.turn();
        wait.idle();
    }
}

/// The sending side of a stream.
template <class Application, LinkEnd End>
void pour(End& end, const Job& job, PairState& state, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::request_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.ask(room, number); });
    pace.meet();
    Pace::Wait wait(pace);
    const std::uint64_t messages = job.warmup + job.messages;
    while (out.messages() < messages) {
        if (out.advance()) {
            wait.over();
            continue;
        }
        end.turn();
        wait.idle();
    }
    see_off(end, state, pace);
}

/// The receiving side of a stream; its clock counts from the end of the warm-up.
template <class Application, LinkEnd End>
void drink(End& end, std::size_t most_bytes, const Job& job, PairState& state, Pace& pace) {
    Application application(job);
    Incoming in(end, Application::request_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.asked(record, number); });
    const Time time;
    pace.meet();
    Pace::Wait wait(pace);
    std::uint64_t start = Time::now();
    auto arrived = [&, number = std::uint64_t{0}]() mutable {
        if (++number == job.warmup) start = Time::now();
    };
    const std::uint64_t messages = job.warmup + job.messages;
    while (in.messages() < messages) {
        in.advance(arrived) ? wait.over() : wait.idle();
        end.turn();
    }
    state.figures.seconds = time.nanoseconds(Time::now() - start) * 1e-9;
    state.figures.messages = job.messages;
    state.done.store(true, std::memory_order_release);
}

/// The asking side of an exchange: keeps `window` messages unanswered and times each of them.
template <class Application, LinkEnd End>
void ask(End& end, std::size_t most_bytes, const Job& job, PairState& state, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::request_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.ask(room, number); });
    Incoming in(end, Application::reply_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.answered(record, number); });
    const Time time;
    const std::uint64_t messages = job.warmup + job.messages;
    std::vector<std::uint64_t> started(job.window);
    Figures& figures = state.figures;
    figures.messages = job.messages;
    figures.latency_us.reserve(job.messages);
    std::uint64_t start = 0;
    auto answered = [&, number = std::uint64_t{0}]() mutable {
        const std::uint64_t now = Time::now();
        if (number >= job.warmup) {
            const std::uint64_t round_trip = now - started[number % job.window];
            figures.latency_us.push_back(static_cast<float>(time.nanoseconds(round_trip) * 1e-3));
        }
        if (++number == job.warmup) start = now;
    };
    const auto may_ask = [&] {
        return !out.is_between() ||
               (out.messages() < messages && out.messages() - in.messages() < job.window);
    };
    pace.meet();
    start = Time::now();
    Pace::Wait wait(pace);
    bool pushed = true;
    while (in.messages() < messages) {
        while (may_ask()) {
            if (out.is_between()) started[out.messages() % job.window] = Time::now();
            if (!out.advance()) break;
            pushed = false;
        }
        if (!pushed) pushed = end.push();
        in.advance(answered) ? wait.over() : wait.idle();
        end.turn();
    }
    figures.seconds = time.nanoseconds(Time::now() - start) * 1e-9;
    state.done.store(true, std::memory_order_release);
}

/// The answering side of an exchange.
template <class Application, LinkEnd End>
void answer(End& end, std::size_t most_bytes, const Job& job, PairState& state, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::reply_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.answer(room, number); });
    Incoming in(end, Application::request_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.asked(record, number); });
    pace.meet();
    const std::uint64_t messages = job.warmup + job.messages;
    Pace::Wait wait(pace);
    bool pushed = true;
    while (out.messages() < messages) {
        in.advance([] {}) ? wait.over() : wait.idle();
        while (out.messages() < in.messages() && out.advance()) pushed = false;
        if (!pushed) pushed = end.push();
        end.turn();
    }
    see_off(end, state, pace);
}

/// One side of one pair.
template <class Application, bool kExchange, Link L>
void take_side(L& link, bool first, const Job& job, PairState& state, Pace& pace) {
    const std::size_t most_there = link.a().most_bytes();
    if constexpr (kExchange) {
        const std::size_t most_back = link.b().most_bytes();
        first ? ask<Application>(link.a(), most_back, job, state, pace)
              : answer<Application>(link.b(), most_there, job, state, pace);
    } else {
        first ? pour<Application>(link.a(), job, state, pace)
              : drink<Application>(link.b(), most_there, job, state, pace);
    }
}

/// One measurement: job.pairs links of their own, two threads each.
template <class Application, bool kExchange, Link L>
Figures run_load(const Job& job) {
    Job sized = job;
    sized.bytes = Application::request_bytes(job);
    sized.reply_bytes = Application::reply_bytes(job);
    std::vector<std::unique_ptr<L>> links;
    links.reserve(static_cast<std::size_t>(job.pairs));
    for (int pair = 0; pair < job.pairs; ++pair) links.push_back(std::make_unique<L>(sized));
    std::vector<PairState> states(links.size());
    run_team(2 * job.pairs, [&](int side, Pace& pace) {
        const auto pair = static_cast<std::size_t>(side / 2);
        take_side<Application, kExchange>(*links[pair], side % 2 == 0, sized, states[pair], pace);
    });
    Figures all;
    for (const PairState& state : states) all.add(state.figures);
    return all;
}

/// The loads of any message size, for subjects that carry no case study.
template <Link L>
Figures run_swept(const Job& job) {
    if (job.load != Load::stream && job.load != Load::exchange)
        throw std::invalid_argument("the case studies are for the rings of Table I only");
    return job.load == Load::stream ? run_load<Patterns, false, L>(job) : run_load<Patterns, true, L>(job);
}

/// The load that the job names.
template <Link L>
Figures run_job(const Job& job) {
    switch (job.load) {
        case Load::stream:
            return run_load<Patterns, false, L>(job);
        case Load::exchange:
            return run_load<Patterns, true, L>(job);
        case Load::flow:
            return run_load<Flows, false, L>(job);
        case Load::lookup:
            return run_load<Lookups, true, L>(job);
        case Load::crowd:
            throw std::invalid_argument("many clients of one ring are for shared and read rings only");
    }
    return {};
}

}  // namespace rb2::bench::study
