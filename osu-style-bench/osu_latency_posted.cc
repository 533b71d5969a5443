// Latency while each rank holds a long queue of posted receives, or of unexpected messages, that never match.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pending.hpp"
#include "osu-style-bench/mpi/ping_pong.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const rb2::bench::Pair pair = rb2::bench::pair_of(run.world);
    rb2::bench::PendingEntries pending(run, pair);
    std::vector<double> figures = rb2::bench::ping_pong_us(run, pair, bytes);
    pending.drain();
    return figures;
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kLatencyPosted, measure);
}
