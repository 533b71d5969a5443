#include "osu-style-bench/compare/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <fstream>

namespace rb2::bench::compare {

Session::Session(const std::vector<Library>& libraries, const Settings& settings)
    : libraries_(libraries), settings_(settings) {
    if (settings_.attempts > 1) {
        steadiness_.emplace();
    }
}

std::optional<double> Session::usual_us() const {
    return steadiness_ ? std::optional(steadiness_->usual_us()) : std::nullopt;
}

std::vector<Samples> Session::run(const Case& bench) {
    std::vector<Samples> samples(libraries_.size());
    for (int round = 0; round < settings_.rounds; ++round) {
        for (const Start& start : bench.starts) {
            for (std::size_t i = 0; i < libraries_.size(); ++i) {
                // Each round begins with another library: none always follows the same one.
                const std::size_t turn = (i + static_cast<std::size_t>(round)) % libraries_.size();
                measure(libraries_[turn], bench, start, samples[turn]);
            }
        }
    }
    return samples;
}

void Session::measure(const Library& library, const Case& bench, const Start& start, Samples& samples) {
    const std::filesystem::path json = scratch_ / "report.json";
    std::filesystem::remove(json);
    std::vector<std::string> args = start.args;
    args.insert(args.end(), {"--json", json.string()});
    const auto command = launch_command(library, site_, start.ranks, bench.program, args);
    const auto record = [&](std::string reason, std::string output) {
        failures_.push_back(
            {library.key, fmt::format("{}", fmt::join(command, " ")), std::move(reason), std::move(output)});
    };
    try {
        Ending ending = run_steadily(command);
        if (!ending.succeeded) {
            record(std::move(ending.reason), std::move(ending.output));
        } else if (bench.wall_time) {
            samples[*start.key].push_back(ending.wall_ms);
        } else {
            add_figures(samples, nlohmann::json::parse(std::ifstream(json)), bench, start);
        }
    } catch (const std::exception& error) {
        record(error.what(), "");
    }
}

Ending Session::run_steadily(const std::vector<std::string>& command) {
    ++starts_;
    for (int attempt = 1;; ++attempt) {
        const bool before = !steadiness_ || steadiness_->as_usual();
        Ending ending = run_command(command, settings_.timeout, scratch_ / "output");
        const bool steady = before && (!steadiness_ || steadiness_->as_usual());
        if (steady || !ending.succeeded || attempt >= settings_.attempts) {
            unsteady_ += steady ? 0 : 1;
            return ending;
        }
    }
}

}  // namespace rb2::bench::compare
