// Bandwidth with a window of messages in each direction at once; counts the bytes of both.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/stream.hpp"

namespace {

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const double seconds = rb2::bench::two_way_stream_seconds(run, rb2::bench::pair_of(run.world), bytes);
    return {2 * rb2::bench::streamed_megabytes(run.options, bytes) / seconds};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kBiBandwidth, measure);
}
