#pragma once

#include <cstddef>
#include <vector>

#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/page_buffer.hpp"
#include "osu-style-bench/engine/spec.hpp"
#include "osu-style-bench/mpi/world.hpp"

namespace rb2::bench {

/// What a measurement works with: one send and one receive buffer, large enough for every size of the run
/// (and for a window of verified messages), and the requests of one window.
struct Run {
    const World& world;
    const Options& options;
    const PageBuffer& outgoing;
    const PageBuffer& incoming;
    std::vector<MPI_Request>& requests;
};

/// Measures one message size on all ranks; returns the figures, which count on rank 0 only.
using Measure = std::vector<double> (*)(const Run& run, std::size_t bytes);

/// Runs one program of the suite: command line, MPI, the loop over sizes, the report. Returns the exit
/// status.
int run_program(int argc, char** argv, const Spec& spec, Measure measure);

/// Prints help, version or an error of the command line, once per job and without MPI, and returns the
/// status.
int answer_without_running(const Parsed& parsed);

/// Whether the number of ranks suits the program; if not, rank 0 says what would.
bool ranks_fit(const World& world, const Spec& spec);

/// Calls body, turning an exception into a message that names the program and an exit status of 1.
int guarded(const Spec& spec, int (*body)(int, char**, const Spec&, Measure), int argc, char** argv,
            Measure measure);

}  // namespace rb2::bench
