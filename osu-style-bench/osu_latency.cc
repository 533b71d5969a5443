// Latency: two ranks send one message to and fro; half the mean round trip.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/ping_pong.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    return rb2::bench::ping_pong_us(run, rb2::bench::pair_of(run.world), bytes);
}

}  // namespace

int main(int argc, char** argv) { return rb2::bench::run_program(argc, argv, rb2::bench::kLatency, measure); }
