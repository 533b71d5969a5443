#include "osu-style-bench/mpi/driver.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>

#include "osu-style-bench/engine/report.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace rb2::bench {
namespace {

/// This process's rank as the launcher tells it in the environment; 0 without a launcher.
bool is_first_rank() {
    for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
        if (const char* rank = std::getenv(name)) {
            return std::string_view(rank) == "0";
        }
    }
    return true;
}

std::string_view needed_ranks(RankRule rule) {
    switch (rule) {
        case RankRule::Two:
            return "exactly 2 ranks";
        case RankRule::EvenPairs:
            return "an even number of ranks, 2 or more";
        case RankRule::AtLeastTwo:
            return "2 ranks or more";
        case RankRule::Any:
            break;
    }
    return "1 rank or more";
}

bool satisfies(RankRule rule, int ranks) {
    switch (rule) {
        case RankRule::Two:
            return ranks == 2;
        case RankRule::EvenPairs:
            return ranks >= 2 && ranks % 2 == 0;
        case RankRule::AtLeastTwo:
            return ranks >= 2;
        case RankRule::Any:
            break;
    }
    return true;
}

void run_sizes(const Run& run, const Spec& spec, Measure measure) {
    Report report(spec, run.options, run.world.size());
    const bool reports = run.world.rank() == 0;
    if (reports) {
        report.begin();
    }
    for (const std::size_t bytes : size_list(run.options.min_bytes, run.options.max_bytes)) {
        run.world.barrier();
        std::vector<double> values = measure(run, bytes);
        if (reports) {
            report.add({bytes, std::move(values)});
        }
    }
    if (reports) {
        report.finish();
    }
}

int run_with_mpi(int argc, char** argv, const Spec& spec, Measure measure) {
    const Parsed parsed = parse_options(spec, argc, argv);
    if (!parsed.options) {
        return answer_without_running(parsed);
    }
    const World world(&argc, &argv, spec.has_threads);
    if (!ranks_fit(world, spec)) {
        return kUsageError;
    }
    // An exception must end every rank, not leave the others waiting for this one.
    try {
        const std::size_t bytes = buffer_bytes(*parsed.options);
        const PageBuffer outgoing(bytes);
        const PageBuffer incoming(bytes);
        const auto window = static_cast<std::size_t>(parsed.options->window);
        std::vector<MPI_Request> requests(2 * window, MPI_REQUEST_NULL);
        run_sizes({world, *parsed.options, outgoing, incoming, requests}, spec, measure);
    } catch (const std::exception& error) {
        fail(world.rank(), error.what());
    }
    return EXIT_SUCCESS;
}

}  // namespace

int answer_without_running(const Parsed& parsed) {
    if (is_first_rank()) {
        std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    } else {
        // A launcher ends the job at the first failing rank: let rank 0 have its say first.
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return parsed.exit_code;
}

bool ranks_fit(const World& world, const Spec& spec) {
    const bool fit = satisfies(spec.ranks, world.size());
    if (!fit && world.rank() == 0) {
        std::fputs(fmt::format("{0} needs {1}, this job has {2}; start it with -n 2\n", spec.program,
                               needed_ranks(spec.ranks), world.size())
                       .c_str(),
                   stderr);
    }
    return fit;
}

int guarded(const Spec& spec, int (*body)(int, char**, const Spec&, Measure), int argc, char** argv,
            Measure measure) {
    try {
        return body(argc, argv, spec, measure);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(spec.program.size()), spec.program.data(),
                     error.what());
        return EXIT_FAILURE;
    }
}

int run_program(int argc, char** argv, const Spec& spec, Measure measure) {
    return guarded(spec, run_with_mpi, argc, argv, measure);
}

}  // namespace rb2::bench
