// Latency of several pairs at once: the mean over all pairs.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/ping_pong.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const double mine = rb2::bench::ping_pong_us(run, rb2::bench::pair_of(run.world), bytes).front();
    return {run.world.mean(mine)};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kMultiLatency, measure);
}
