// rb2_limits: what this machine can do at best, to read the figures of a messaging library against.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "command/checks.hpp"
#include "command/program.hpp"
#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/report.hpp"
#include "osu-style-bench/limits/limits.hpp"

namespace {

namespace limits = rb2::bench::limits;

constexpr std::size_t kSmallestCopy = 4UL << 10;
constexpr std::size_t kLargestMemcpy = 64UL << 20;
constexpr std::size_t kLargestMessage = 4UL << 20;
constexpr unsigned kGiveUpSeconds = 300;

/// Prints each figure as it is measured, unless the JSON goes to standard output, and keeps it for the JSON.
class Sheet {
  public:
    explicit Sheet(bool prints) : prints_(prints) {}

    void add(const char* key, const char* label, double value, const char* unit) {
        say(fmt::format("{:<44}{:>12.3f} {}\n", label, value, unit));
        document_[key] = value;
    }

    void add_row(const char* key, nlohmann::json row, const std::string& line) {
        say(line);
        document_[key].push_back(std::move(row));
    }

    void say(const std::string& text) const {
        if (prints_) {
            std::fputs(text.c_str(), stdout);
            std::fflush(stdout);
        }
    }

    nlohmann::json& document() { return document_; }

  private:
    bool prints_;
    nlohmann::json document_;
};

void measure_signals(Sheet& sheet, const limits::Processors& processors, int repetitions) {
    const limits::Processors same{processors.first, processors.first};
    sheet.add("cache_line_us", "cache line, one way", limits::cache_line_one_way_us(processors, repetitions),
              "us");
    sheet.add("line_each_way_us", "a line for each way, one way",
              limits::line_each_way_us(processors, repetitions), "us");
    sheet.add("slots_per_second", "queue of 64-byte slots", limits::slots_per_second(processors, repetitions),
              "slots/s");
    sheet.add("futex_us", "futex wake-up, other processor", limits::futex_wake_us(processors, repetitions),
              "us");
    sheet.add("futex_same_processor_us", "futex wake-up, same processor",
              limits::futex_wake_us(same, repetitions), "us");
}

void measure_copies(Sheet& sheet, const limits::Processors& processors, int repetitions) {
    sheet.say(fmt::format("\n{:<12}{:>16}\n", "# Size", "memcpy (GB/s)"));
    for (const std::size_t bytes : rb2::bench::size_list(kSmallestCopy, kLargestMemcpy)) {
        const double rate = limits::memcpy_gb_per_second(bytes, repetitions);
        sheet.add_row("memcpy", {{"bytes", bytes}, {"gb_per_second", rate}},
                      fmt::format("{:<12}{:>16.2f}\n", bytes, rate));
    }
    sheet.say(fmt::format("\n{:<12}{:>24}{:>16}\n", "# Size", "pipelined copy (GB/s)", "one way (us)"));
    for (const std::size_t bytes : rb2::bench::size_list(kSmallestCopy, kLargestMessage)) {
        const limits::PipelinedCopy copy = limits::pipelined_copy(processors, bytes, repetitions);
        sheet.add_row(
            "pipelined_copy",
            {{"bytes", bytes}, {"gb_per_second", copy.gb_per_second}, {"one_way_us", copy.one_way_us}},
            fmt::format("{:<12}{:>24.2f}{:>16.2f}\n", bytes, copy.gb_per_second, copy.one_way_us));
    }
}

void run(int repetitions, const std::string& json_path) {
    const limits::Processors processors = limits::usable_processors();
    Sheet sheet(json_path != "-");
    sheet.document()["processors"] = {processors.first, processors.second};
    sheet.say(fmt::format("# Limits of this machine, processors {} and {}, median of {}\n", processors.first,
                          processors.second, repetitions));
    if (!processors.distinct()) {
        sheet.say("# Only one processor is usable: both sides share it and yield to each other.\n");
    }
    measure_signals(sheet, processors, repetitions);
    measure_copies(sheet, processors, repetitions);
    if (!json_path.empty()) {
        rb2::bench::write_json(sheet.document(), json_path);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures what this machine can do at best between two processes", "rb2_limits");
    int repetitions = 5;
    std::string json_path;
    app.set_version_flag("-v,--version", "rb2_limits (rb2) " RB2_BENCH_VERSION);
    app.add_option("-r,--repetitions", repetitions, "repetitions of which the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--json", json_path, "write the results as JSON to this file, - for standard output")
        ->check(rb2::command::writable_file());
    return rb2::command::run(app, argc, argv, [&] {
        // Should the second process die, this one would wait for ever.
        ::alarm(kGiveUpSeconds);
        run(repetitions, json_path);
        return EXIT_SUCCESS;
    });
}
