// Time of a barrier, one behind the other.
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"

namespace {

void barriers(const rb2::bench::Run& run, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) run.world.barrier();
}

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    barriers(run, warmup_for(run.options, bytes));
    const std::size_t count = iterations_for(run.options, bytes);
    const rb2::bench::Stopwatch watch;
    barriers(run, count);
    const double own_us = watch.elapsed_us() / static_cast<double>(count);
    return {run.world.mean(own_us)};
}

}  // namespace

int main(int argc, char** argv) { return rb2::bench::run_program(argc, argv, rb2::bench::kBarrier, measure); }
