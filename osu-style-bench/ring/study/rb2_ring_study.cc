// rb2-ring-study: takes the figures and tables of the rb2 paper again, with every ring of its Table I.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <thread>

#include "command/checks.hpp"
#include "command/program.hpp"
#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/study/bare.hpp"
#include "osu-style-bench/ring/study/page.hpp"

namespace {

using namespace rb2::bench;
using namespace rb2::bench::study;

constexpr unsigned kGiveUpSeconds = 300;  // per measurement
constexpr int kUsualRounds = 3;
constexpr int kBareRounds = 7;
constexpr double kQuickSeconds = 0.002;

struct Request {
    Effort effort;
    int rounds = 0;  ///< 0: by effort
    int attempts = 3;
    std::vector<std::string> only;
    std::string page;
    std::string plots;
};

void add_options(CLI::App& app, Request& request) {
    app.set_version_flag("-v,--version", "rb2-ring-study (rb2) " RB2_BENCH_VERSION);
    app.add_flag("--quick", request.effort.quick, "few sizes and short runs, to see that everything works");
    app.add_option("-r,--rounds", request.rounds, "rounds of which the median counts (default: 3, quick: 1)")
        ->check(CLI::Range(1, 1000));
    app.add_option(
           "--attempts", request.attempts,
           "repeat a measurement up to this often while the processors' distance is unusual; 1: never look")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--only", request.only, "experiments to take, by name (default: all)")->delimiter(',');
    app.add_option("--page", request.page,
                   "replace the generated part of this Markdown file (default: print to standard output)")
        ->check(CLI::ExistingFile)
        ->check(rb2::command::writable_file());
    app.add_option("--plots", request.plots, "draw the diagrams into this directory (needs gnuplot)")
        ->check(CLI::ExistingDirectory);
}

std::vector<Experiment> chosen(const Request& request) {
    std::vector<Experiment> all = all_experiments(request.effort);
    if (request.only.empty()) return all;
    std::string names;
    for (const Experiment& experiment : all) names += " " + experiment.id;
    for (const std::string& name : request.only) {
        if (std::ranges::find(all, name, &Experiment::id) == all.end()) {
            throw std::invalid_argument(fmt::format("unknown experiment '{}'; there are:{}", name, names));
        }
    }
    std::erase_if(all, [&](const Experiment& experiment) {
        return std::ranges::find(request.only, experiment.id) == request.only.end();
    });
    return all;
}

Campaign::Settings settings_of(const Request& request) {
    Campaign::Settings settings;
    settings.rounds = request.rounds > 0 ? request.rounds : request.effort.quick ? 1 : kUsualRounds;
    settings.attempts = request.effort.quick ? 1 : request.attempts;
    if (request.effort.quick) settings.seconds = kQuickSeconds;
    // A ring that loses a message would be waited for for ever.
    settings.after_each = [] { ::alarm(kGiveUpSeconds); };
    return settings;
}

std::string preamble(const Request& request, const Campaign::Settings& settings, const Campaign& campaign,
                     double seconds, const BareRing& bare) {
    const auto& costs = request.effort.costs;
    std::string text = fmt::format(
        "Taken on {:%Y-%m-%d}: {} processors, {} NUMA node{}, median of {} round{} of {:.0f} ms, {} "
        "measurements in "
        "{:.0f} s{}. Costed fabric: {} ns a request, {} ns a doorbell, {} ns a completion, {} ns one way, {} "
        "Gbit/s.",
        fmt::localtime(std::time(nullptr)), std::thread::hardware_concurrency(), memory_nodes(),
        memory_nodes() == 1 ? "" : "s", settings.rounds, settings.rounds == 1 ? "" : "s",
        settings.seconds * 1e3, campaign.measurements(), seconds,
        request.effort.quick ? " (--quick: not for conclusions)" : "", costs.work_request_ns,
        costs.doorbell_ns, costs.completion_ns, costs.latency_ns, costs.gigabits_per_second);
    if (const auto usual = campaign.usual_us()) {
        text += fmt::format(" Cache line {:.3f} us one way; {} measurements never met that state.", *usual,
                            campaign.unsteady());
    }
    return text +
           fmt::format(
               " Bare queue of 64-byte slots: {:.1f} million/s; the ring in place, as plainly: {:.1f}.\n\n",
               bare.queue * 1e-6, bare.ring * 1e-6);
}

std::string picture_name(const Experiment& experiment) {
    return fmt::format("ring-study-{}.png", experiment.id);
}

/// Draws the experiment; returns the name of the picture, empty if there is none.
std::string drawn(const Taken& taken, const std::string& directory) {
    if (directory.empty() || !taken.experiment->draws) return {};
    const std::string name = picture_name(*taken.experiment);
    compare::draw_panels(panels_of(taken), std::filesystem::path(directory) / name);
    return name;
}

void run(const Request& request) {
    const std::vector<Experiment> experiments = chosen(request);
    const Campaign::Settings settings = settings_of(request);
    settings.after_each();
    Campaign campaign(settings);
    const Stopwatch watch;
    const BareRing bare = measure_bare_ring(request.effort.quick ? 1 : kBareRounds);
    std::vector<Taken> all;
    std::string sections;
    for (const Experiment& experiment : experiments) {
        all.push_back(take(experiment, campaign));
        sections += section_of(all.back(), drawn(all.back(), request.plots));
        fmt::print(stderr, "{:6.1f} s  {}\n", watch.elapsed_seconds(), experiment.title);
    }
    const std::string text = preamble(request, settings, campaign, watch.elapsed_seconds(), bare) +
                             section_of(compare_with_papers(all, bare.part)) + sections;
    if (request.page.empty()) {
        fmt::print("{}", text);
    } else {
        replace_generated(request.page, text);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Takes the figures and tables of the RB² paper again, on this machine", "rb2-ring-study");
    Request request;
    add_options(app, request);
    const auto work = [&] {
        run(request);
        return EXIT_SUCCESS;
    };
    return rb2::command::run(app, argc, argv, work, rb2::command::kUsageError);
}
