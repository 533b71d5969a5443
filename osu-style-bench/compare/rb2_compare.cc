// rb2-compare: the same programs on rb2, Open MPI and MPICH, interleaved, against each other and this
// machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "command/checks.hpp"
#include "command/program.hpp"
#include "osu-style-bench/compare/library.hpp"
#include "osu-style-bench/compare/plot.hpp"
#include "osu-style-bench/compare/session.hpp"
#include "osu-style-bench/compare/table.hpp"
#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/report.hpp"

namespace {

using namespace rb2::bench;
using namespace rb2::bench::compare;

struct Request {
    Effort effort;
    Places places;
    std::vector<std::string> names;
    std::vector<std::string> skipped;  ///< library keys
    int rounds = 0;                    ///< 0: by effort
    int timeout_s = 60;
    int attempts = 3;
    std::string json_path;
    std::string plot_path;
};

void add_options(CLI::App& app, Request& request) {
    app.set_version_flag("-v,--version", "rb2-compare (rb2) " RB2_BENCH_VERSION);
    app.add_flag("--quick", request.effort.quick,
                 "latency and bandwidth only, few iterations, under a minute");
    app.add_option("-b,--bench", request.names,
                   "what to measure: latency bw bw_vector bibw mbw_mr posted unexpected token latency_mt "
                   "barrier bcast allreduce reduce allgather alltoall init (default: all but bw_vector, "
                   "reduce, allgather and alltoall)")
        ->delimiter(',');
    app.add_option("-m,--message-size", request.effort.sizes, "sizes of the sweeps: MAX, MIN: or MIN:MAX");
    app.add_option("-r,--rounds", request.rounds, "rounds of which the median counts (default: 5, quick: 3)")
        ->check(CLI::Range(1, 1000));
    app.add_flag("-c,--validation", request.effort.verify, "check the data of every message as well");
    app.add_option("--skip", request.skipped, "leave out a library: rb2, openmpi or mpich")
        ->delimiter(',')
        ->check(CLI::IsMember({"rb2", "openmpi", "mpich"}));
    app.add_option("--attempts", request.attempts,
                   "repeat a start up to this often while the processors' distance is unusual; 1: never look")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--timeout", request.timeout_s, "seconds one start may take")
        ->check(CLI::Range(1, 86400))
        ->capture_default_str();
    app.add_option("--json", request.json_path,
                   "write the results as JSON to this file, - for standard output")
        ->check(rb2::command::writable_file());
    app.add_option("--plot", request.plot_path, "draw the results into this PNG (needs gnuplot)")
        ->check(rb2::command::writable_file());
    app.add_option("--rb2-dir", request.places.rb2_directory, "directory of rb2's programs");
    app.add_option("--openmpi-dir", request.places.openmpi_directory, "directory of Open MPI's programs");
    app.add_option("--mpich-dir", request.places.mpich_directory, "directory of MPICH's programs");
    app.add_option("--rb2run", request.places.rb2_launcher, "rb2's launcher");
    app.add_option("--openmpi-mpirun", request.places.openmpi_launcher, "Open MPI's launcher");
    app.add_option("--mpich-mpiexec", request.places.mpich_launcher, "MPICH's launcher");
}

/// Progress and notes go to standard error when the JSON takes standard output.
class Printer {
  public:
    explicit Printer(const Request& request) : stream_(request.json_path == "-" ? stderr : stdout) {}
    void operator()(const std::string& text) const {
        std::fputs(text.c_str(), stream_);
        std::fflush(stream_);
    }

  private:
    std::FILE* stream_;
};

/// The libraries to measure; says which are not and why. A peer may be absent, rb2 only when asked.
std::vector<Library> usable_libraries(const Request& request, const Printer& print) {
    std::vector<Library> libraries = find_libraries(request.places);
    for (Library& library : libraries) {
        const bool skipped = std::ranges::find(request.skipped, library.key) != request.skipped.end();
        if (skipped) {
            library.missing = "left out by --skip";
        } else if (library.key == kOwnKey && !library.missing.empty()) {
            throw std::runtime_error(fmt::format(
                "rb2 cannot be measured: {} (--skip rb2 compares the peers alone)", library.missing));
        }
        if (!library.missing.empty()) {
            print(fmt::format("# {} is not measured: {}\n", library.label, library.missing));
        }
    }
    return libraries;
}

/// Puts empty samples in the place of libraries that were not measured, so that columns stay in order.
std::vector<Samples> in_all_columns(std::vector<Samples> measured, const std::vector<Library>& libraries) {
    std::vector<Samples> all;
    auto next = measured.begin();
    for (const Library& library : libraries) {
        all.push_back(library.missing.empty() ? std::move(*next++) : Samples{});
    }
    return all;
}

void print_machine(const MachineLimits& machine, const Session& session, const Printer& print) {
    print(fmt::format("# Machine: cache line {:.3f} us one way, {:.0f} million slots/s\n",
                      machine.cache_line_us, machine.slots_per_second / 1e6));
    if (const auto usual = session.usual_us()) {
        print(fmt::format("# Steady state: cache line {:.3f} us one way\n", *usual));
    }
}

void print_failures(const Session& session, const Printer& print) {
    for (const Failure& failure : session.failures()) {
        print(fmt::format("\nFAILED ({}): {}\n{}\n", failure.reason, failure.command, failure.output));
    }
    if (session.unsteady() > 0) {
        print(
            fmt::format("\n# {} of {} starts never met the steady state; use more --rounds or --attempts.\n",
                        session.unsteady(), session.starts()));
    }
}

nlohmann::json failures_json(const Session& session) {
    nlohmann::json all = nlohmann::json::array();
    for (const Failure& failure : session.failures()) {
        all.push_back(
            {{"library", failure.library}, {"command", failure.command}, {"reason", failure.reason}});
    }
    return all;
}

nlohmann::json whole_json(const Session::Settings& settings, const Session& session,
                          const MachineLimits& machine, const std::vector<Compared>& cases,
                          const std::vector<Library>& libraries) {
    nlohmann::json tables = nlohmann::json::array();
    for (const Compared& each : cases) {
        tables.push_back(table_json(each, libraries));
    }
    return {{"version", RB2_BENCH_VERSION},
            {"rounds", settings.rounds},
            {"starts", session.starts()},
            {"unsteady_starts", session.unsteady()},
            {"cache_line_us", machine.cache_line_us},
            {"slots_per_second", machine.slots_per_second},
            {"failures", failures_json(session)},
            {"cases", tables}};
}

Compared run_case(const Case& bench, Session& session, const MachineLimits& machine,
                  const std::vector<Library>& libraries) {
    Compared compared{bench, compare_samples(in_all_columns(session.run(bench), libraries), bench.better)};
    for (ComparedRow& row : compared.rows) {
        row.limit = limit_for(machine, bench.yardstick, row.key);
    }
    return compared;
}

/// A failing peer is reported and left at that; a failure of rb2, or a table that nobody filled, is an error.
bool failed(const Session& session, const std::vector<Compared>& results) {
    return std::ranges::any_of(session.failures(),
                               [](const Failure& each) { return each.library == kOwnKey; }) ||
           std::ranges::any_of(results, [](const Compared& each) { return each.rows.empty(); });
}

int run(const Request& request) {
    if (!request.effort.sizes.empty())
        (void)parse_size_range(request.effort.sizes, {0, INT_MAX});  // throws what is wrong
    const Printer print(request);
    const auto names = request.names.empty() ? default_names(request.effort) : request.names;
    const std::vector<Case> cases = select_cases(all_cases(request.effort), names);
    const std::vector<Library> libraries = usable_libraries(request, print);
    std::vector<Library> measured = libraries;
    std::erase_if(measured, [](const Library& library) { return !library.missing.empty(); });
    if (measured.empty()) {
        throw std::runtime_error("no library can be measured; build the programs or name their places");
    }
    const int usual_rounds = request.effort.quick ? 3 : 5;
    const Session::Settings settings{request.rounds > 0 ? request.rounds : usual_rounds,
                                     std::chrono::seconds(request.timeout_s), request.attempts};
    const MachineLimits machine = measure_limits(request.effort.quick ? 3 : 5);
    Session session(measured, settings);
    print_machine(machine, session, print);
    std::vector<Compared> results;
    for (const Case& bench : cases) {
        results.push_back(run_case(bench, session, machine, libraries));
        print("\n" + table_text(results.back(), libraries));
    }
    print_failures(session, print);
    if (!request.json_path.empty()) {
        write_json(whole_json(settings, session, machine, results, libraries), request.json_path);
    }
    if (!request.plot_path.empty()) {
        draw_plot(results, libraries, request.plot_path);
    }
    return failed(session, results) ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Runs the same benchmarks on rb2, Open MPI and MPICH, interleaved, and compares",
                 "rb2-compare");
    Request request;
    add_options(app, request);
    return rb2::command::run(
        app, argc, argv, [&] { return run(request); }, rb2::command::kUsageError);
}
