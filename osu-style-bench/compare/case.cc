#include "osu-style-bench/compare/case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rb2::bench::compare {
namespace {

using Args = std::vector<std::string>;

/// The flags shared by all starts of a program with sizes.
Args flags(const Effort& effort, Args counts) {
    if (effort.verify) {
        counts.emplace_back("-c");
    }
    return counts;
}

Args sweep_flags(const Effort& effort, const Args& counts) {
    Args args = flags(effort, counts);
    if (!effort.sizes.empty()) {
        args.insert(args.end(), {"-m", effort.sizes});
    }
    return args;
}

Case sweep(const Spec& spec, std::string name, Yardstick yardstick, Args args) {
    return {std::move(name),
            std::string(spec.program),
            std::string(spec.title),
            "Size",
            std::string(spec.column),
            spec.better,
            0,
            false,
            yardstick,
            {{2, std::move(args), {}}}};
}

Case message_rate(const Effort& effort) {
    const Args args = flags(effort, {"-m", "8:8", "-i", effort.quick ? "1000" : "3000"});
    return {"mbw_mr",
            "osu_mbw_mr",
            "OSU-style MPI Message Rate Test, one pair",
            "Size",
            "Messages/s",
            Better::Higher,
            1,
            false,
            Yardstick::SlotRate,
            {{2, args, {}}}};
}

Case queue_case(const Effort& effort, std::string name, std::string title, const char* extra) {
    Case result{std::move(name),
                "osu_latency_posted",
                std::move(title),
                "Entries",
                "Latency (us)",
                Better::Lower,
                0,
                false,
                Yardstick::None,
                {}};
    for (const std::size_t depth : {0, 10, 100, 1000, 10000}) {
        Args args = flags(effort, {"-q", std::to_string(depth), "-i", "200", "-x", "10"});
        if (*extra != '\0') {
            args.emplace_back(extra);
        }
        result.starts.push_back({2, std::move(args), depth});
    }
    return result;
}

Case token(const Effort& effort) {
    const Args args = flags(effort, {"-i", "20", "-x", "2"});
    return {
        "token", "osu_token",     "OSU-style MPI Token Ring Test", "Ranks", "Per hop (us)", Better::Lower, 0,
        false,   Yardstick::None, {{2, args, 2}, {8, args, 8}}};
}

/// On 4 ranks: with fewer processors they have to take turns.
Case together(const Effort& effort, const Spec& spec, std::string name,
              const std::vector<std::size_t>& sizes) {
    Case result = sweep(spec, std::move(name), Yardstick::None, {});
    result.starts.clear();
    for (const std::size_t bytes : sizes) {
        const std::string range = fmt::format("{0}:{0}", bytes);
        result.starts.push_back({4, flags(effort, {"-m", range, "-i", "300", "-x", "30"}), bytes});
    }
    return result;
}

Case latency_mt(const Effort& effort) {
    Case result{"latency_mt",
                "osu_latency_mt",
                "OSU-style MPI Multi-threaded Latency Test, 8 bytes",
                "Threads",
                "Latency (us)",
                Better::Lower,
                0,
                false,
                Yardstick::None,
                {}};
    for (const std::size_t threads : {1, 2, 8}) {
        const Args args =
            flags(effort, {"-m", "8:8", "-t", std::to_string(threads), "-i", "1000", "-x", "100"});
        result.starts.push_back({2, args, threads});
    }
    return result;
}

Case init() {
    return {"init",
            "osu_init",
            "Start-up of a whole job, launcher included",
            "Ranks",
            "Wall time (ms)",
            Better::Lower,
            0,
            true,
            Yardstick::None,
            {{2, {}, 2}, {32, {}, 32}}};
}

}  // namespace

std::vector<Case> all_cases(const Effort& effort) {
    const Args latency = effort.quick ? Args{"-i", "2000", "-l", "50", "-x", "100"}
                                      : Args{"-i", "10000", "-l", "200", "-x", "200"};
    const Args stream =
        effort.quick ? Args{"-i", "100", "-l", "4", "-x", "10"} : Args{"-i", "1000", "-l", "10", "-x", "20"};
    return {sweep(kLatency, "latency", Yardstick::Latency, sweep_flags(effort, latency)),
            sweep(kBandwidth, "bw", Yardstick::Bandwidth, sweep_flags(effort, stream)),
            sweep(kVectorBandwidth, "bw_vector", Yardstick::None, sweep_flags(effort, stream)),
            sweep(kBiBandwidth, "bibw", Yardstick::None, sweep_flags(effort, stream)),
            message_rate(effort),
            queue_case(effort, "posted", "Latency with posted receives pending", ""),
            queue_case(effort, "unexpected", "Latency with unexpected messages pending", "-u"),
            token(effort),
            latency_mt(effort),
            together(effort, kBarrier, "barrier", {0}),
            together(effort, kBroadcast, "bcast", {8, 65536}),
            together(effort, kAllreduce, "allreduce", {8, 65536}),
            together(effort, kReduce, "reduce", {8, 65536}),
            together(effort, kAllgather, "allgather", {8, 16384}),
            together(effort, kAlltoall, "alltoall", {8, 16384}),
            init()};
}

std::vector<Case> select_cases(std::vector<Case> cases, const std::vector<std::string>& names) {
    std::vector<std::string> known;
    for (const Case& each : cases) {
        known.push_back(each.name);
    }
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) == known.end()) {
            throw std::invalid_argument(
                fmt::format("unknown benchmark '{}'; there are: {}", name, fmt::join(known, ", ")));
        }
    }
    std::erase_if(cases,
                  [&](const Case& each) { return std::ranges::find(names, each.name) == names.end(); });
    return cases;
}

std::vector<std::string> default_names(const Effort& effort) {
    if (effort.quick) {
        return {"latency", "bw"};
    }
    return {"latency", "bw",         "bibw",    "mbw_mr", "posted",    "unexpected",
            "token",   "latency_mt", "barrier", "bcast",  "allreduce", "init"};
}

}  // namespace rb2::bench::compare
