#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/ring/bench.hpp"
#include "osu-style-bench/ring/campaign.hpp"

namespace rb2::bench::study {

/// Whose messages are built and read outside of the ring.
enum class Copies : std::uint8_t { none, table1, all };

/// What the command line of rb2_ring asks for.
struct Request {
    std::vector<std::string> mixes{"table1"};
    std::vector<std::string> benches{"throughput", "latency"};
    std::vector<Fabric> fabrics{Fabric::shm};
    std::string sizes;
    Job job;
    Copies copies = Copies::none;
    Campaign::Settings settings;
    std::string json_path;
    bool lists = false;
};

/// The options; `request` outlives the parsing.
void add_options(CLI::App& app, Request& request);

/// The swept message sizes. Throws CLI::ParseError, also for values that do not go together.
std::vector<std::size_t> sizes_of(const Request& request);

/// Whether the subject's messages are copied.
bool copied(const Subject& subject, Copies copies);

}  // namespace rb2::bench::study
