// Time of a broadcast from rank 0.
#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/together.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::Run;

void broadcast(std::span<std::byte> data) {
    rb2::bench::check(MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD),
                      "MPI_Bcast");
}

void verify(const Run& run, std::span<std::byte> data) {
    const bool root = run.world.rank() == 0;
    rb2::bench::fill_pattern(data, rb2::bench::pattern_seed(root ? 0 : 1, data.size()));
    broadcast(data);
    rb2::bench::expect_pattern(data, run.world.rank(), 0, data.size());
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::span<std::byte> data = run.outgoing.first(bytes);
    if (run.options.verify) verify(run, data);
    return {rb2::bench::mean_us_together(run, bytes, [data] { broadcast(data); })};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kBroadcast, measure);
}
