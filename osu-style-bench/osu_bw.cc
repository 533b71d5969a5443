// Bandwidth: rank 0 keeps a window of messages in flight to rank 1, which answers once per window.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/stream.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const double seconds = rb2::bench::one_way_stream_seconds(run, rb2::bench::pair_of(run.world), bytes);
    return {rb2::bench::streamed_megabytes(run.options, bytes) / seconds};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kBandwidth, measure);
}
