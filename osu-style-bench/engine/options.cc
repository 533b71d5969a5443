#include "osu-style-bench/engine/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <climits>
#include <string_view>
#include <utility>

namespace rb2::bench {
namespace {

constexpr std::size_t kLargeBytes = 8192;
constexpr std::size_t kLargeWarmup = 10;
constexpr std::size_t kMaxIterations = 1UL << 40;
// MPI counts are ints.
constexpr std::size_t kMaxBytes = INT_MAX;

std::size_t parse_bytes(std::string_view text, const std::string& whole) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > kMaxBytes) {
        throw CLI::ValidationError(
            "-m",
            fmt::format("'{}' is not MAX, MIN: or MIN:MAX in bytes, each from 0 to {}", whole, kMaxBytes));
    }
    return value;
}

/// The flags every program with message sizes takes; range holds the text given to -m.
void add_size_flags(CLI::App& app, Options& options, std::string& range) {
    app.add_option("-m,--message-size", range, "message sizes in bytes: MAX, MIN: or MIN:MAX");
    app.add_option("-i,--iterations", options.iterations, "timed iterations per size")
        ->check(CLI::Range(std::size_t{1}, kMaxIterations));
    app.add_option("-l,--large", options.large_iterations,
                   "fewest iterations for sizes above 8 KiB (default: as -i when that is given)")
        ->check(CLI::Range(std::size_t{1}, kMaxIterations));
    app.add_option("-x,--warmup", options.warmup, "untimed iterations per size")
        ->check(CLI::Range(std::size_t{0}, kMaxIterations));
    app.add_flag("-c,--validation", options.verify, "fill, exchange and check data before timing each size");
}

void add_special_flags(CLI::App& app, const Spec& spec, Options& options) {
    if (spec.has_window) {
        app.add_option("-W,--window-size", options.window, "messages in flight before an answer is awaited")
            ->check(CLI::Range(1, 1 << 20))
            ->capture_default_str();
    }
    if (spec.has_queue) {
        app.add_option("-q,--queue-depth", options.queue_depth,
                       "entries pending in each rank's message queue")
            ->check(CLI::Range(0, 1 << 24));
        app.add_flag("-u,--unexpected", options.unexpected,
                     "the pending entries are unexpected messages instead of posted receives");
    }
    if (spec.has_threads) {
        app.add_option("-t,--threads", options.threads, "threads that answer")
            ->check(CLI::Range(1, 1 << 10))
            ->capture_default_str();
    }
    if (spec.has_distribution) {
        app.add_flag("--dist", options.distribution,
                     "time every iteration and add the 50th, 99th and 99.9th percentile");
    }
}

Options defaults_of(const Spec& spec) {
    Options options;
    options.min_bytes = spec.min_bytes;
    options.max_bytes = spec.max_bytes;
    options.iterations = spec.iterations;
    options.large_iterations = spec.large_iterations;
    options.warmup = spec.warmup;
    options.large_warmup = std::min(kLargeWarmup, spec.warmup);
    return options;
}

/// -i and -x given alone hold for every size.
void apply_given_counts(const CLI::App& app, Options& options) {
    if (app.count("-i") > 0 && app.count("-l") == 0) {
        options.large_iterations = options.iterations;
    }
    if (app.count("-x") > 0) {
        options.large_warmup = options.warmup;
    }
}

std::size_t scaled(std::size_t count, std::size_t floor, std::size_t bytes) {
    if (bytes <= kLargeBytes) {
        return count;
    }
    return std::min(count, std::max(floor, count * kLargeBytes / bytes));
}

Parsed answer(std::string text, int exit_code) { return {std::nullopt, std::move(text), exit_code}; }

}  // namespace

SizeRange parse_size_range(const std::string& text, SizeRange fallback) {
    const std::size_t colon = text.find(':');
    const std::string_view view = text;
    SizeRange range = fallback;
    if (colon == std::string::npos) {
        range.max_bytes = parse_bytes(view, text);
        range.min_bytes = std::min(range.min_bytes, range.max_bytes);
        return range;
    }
    range.min_bytes = parse_bytes(view.substr(0, colon), text);
    if (colon + 1 < text.size()) {
        range.max_bytes = parse_bytes(view.substr(colon + 1), text);
    }
    if (range.min_bytes > range.max_bytes) {
        throw CLI::ValidationError("-m", fmt::format("the smallest size {} exceeds the largest {}",
                                                     range.min_bytes, range.max_bytes));
    }
    return range;
}

Parsed parse_options(const Spec& spec, int argc, const char* const* argv) {
    const std::string program(spec.program);
    CLI::App app(std::string(spec.title), program);
    Options options = defaults_of(spec);
    std::string range;
    app.set_help_flag("-h,--help", "show this help");
    app.set_version_flag("-v,--version", fmt::format("{} (rb2) {}", program, RB2_BENCH_VERSION));
    app.add_option("--json", options.json_path,
                   "write the results as JSON to this file, - for standard output");
    if (spec.has_sizes) {
        add_size_flags(app, options, range);
    }
    add_special_flags(app, spec, options);
    try {
        app.parse(argc, argv);
        if (!range.empty()) {
            const SizeRange sizes = parse_size_range(range, {options.min_bytes, options.max_bytes});
            options.min_bytes = sizes.min_bytes;
            options.max_bytes = sizes.max_bytes;
        }
        if (spec.has_sizes) {
            apply_given_counts(app, options);
        }
    } catch (const CLI::CallForHelp&) {
        return answer(app.help(), 0);
    } catch (const CLI::CallForVersion& version) {
        return answer(fmt::format("{}\n", version.what()), 0);
    } catch (const CLI::ParseError& error) {
        return answer(fmt::format("{0}: {1}\nTry '{0} --help'.\n", program, error.what()), kUsageError);
    }
    return {options, {}, 0};
}

std::vector<std::size_t> size_list(std::size_t min_bytes, std::size_t max_bytes) {
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = min_bytes; bytes <= max_bytes; bytes = bytes == 0 ? 1 : bytes * 2) {
        sizes.push_back(bytes);
    }
    return sizes;
}

std::size_t iterations_for(const Options& options, std::size_t bytes) {
    return scaled(options.iterations, options.large_iterations, bytes);
}

std::size_t warmup_for(const Options& options, std::size_t bytes) {
    return scaled(options.warmup, options.large_warmup, bytes);
}

}  // namespace rb2::bench
