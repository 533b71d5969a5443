// Bandwidth and message rate summed over all pairs, over the time of the slowest pair.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/stream.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const double mine = rb2::bench::one_way_stream_seconds(run, rb2::bench::pair_of(run.world), bytes);
    const double slowest = run.world.reduce(mine, MPI_MAX);
    const double pairs = run.world.size() / 2;
    const double messages =
        pairs * run.options.window * static_cast<double>(iterations_for(run.options, bytes));
    return {pairs * rb2::bench::streamed_megabytes(run.options, bytes) / slowest, messages / slowest};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kMessageRate, measure);
}
