#include "osu-style-bench/ring/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace rb2::bench::study {
namespace {

constexpr std::size_t kNoReply = 16;  // the ring back is there, but nothing uses it

constexpr std::array kBenches{
    Bench{"throughput", "Throughput, one way", Load::stream, 1, 0, kNoReply, true},
    Bench{"latency", "Ping-pong, round trip", Load::exchange, 1, 0, 0, false},
    Bench{"crowd", "One ring and many clients, one way", Load::crowd, 1, 0, kNoReply, true},
    Bench{"flow", "Flow monitor: 40-byte records, one way", Load::flow, 1, 40, kNoReply, true},
    Bench{"lookup", "Key-value store: 16-byte requests, 128-byte replies, 32 at a time", Load::lookup, 32, 16,
          128, false},
    Bench{"files", "File server: 1 KiB requests and replies, one at a time", Load::exchange, 1, 1024, 1024,
          false}};

}  // namespace

std::span<const Bench> all_benches() { return kBenches; }

const Bench& find_bench(std::string_view name) {
    const auto* const found = std::ranges::find(kBenches, name, &Bench::name);
    if (found != kBenches.end()) return *found;
    std::string names;
    for (const Bench& bench : kBenches) names += fmt::format(" {}", bench.name);
    throw std::invalid_argument(fmt::format("unknown benchmark '{}'; there are:{}", name, names));
}

Job job_of(const Bench& bench, const Job& base, std::size_t bytes) {
    Job job = base;
    job.load = bench.load;
    job.window = bench.window;
    job.bytes = bench.bytes != 0 ? bench.bytes : bytes;
    job.reply_bytes = bench.reply_bytes != 0 ? bench.reply_bytes : job.bytes;
    return job;
}

}  // namespace rb2::bench::study
