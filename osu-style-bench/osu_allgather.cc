// Time until all ranks have a block from each.
#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/together.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::PageBuffer;
using rb2::bench::Run;

void allgather(std::span<const std::byte> own, const PageBuffer& all) {
    const int bytes = static_cast<int>(own.size());
    rb2::bench::check(
        MPI_Allgather(own.data(), bytes, MPI_BYTE, all.first(0).data(), bytes, MPI_BYTE, MPI_COMM_WORLD),
        "MPI_Allgather");
}

void verify(const Run& run, std::span<std::byte> own, const PageBuffer& all) {
    rb2::bench::fill_pattern(own, rb2::bench::pattern_seed(run.world.rank(), 0));
    allgather(own, all);
    for (int rank = 0; rank < run.world.size(); ++rank)
        rb2::bench::expect_pattern(all.piece(static_cast<std::size_t>(rank), own.size()), run.world.rank(),
                                   rank, 0);
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::span<std::byte> own = run.outgoing.first(bytes);
    const PageBuffer all(bytes * static_cast<std::size_t>(run.world.size()));
    if (run.options.verify) verify(run, own, all);
    return {rb2::bench::mean_us_together(run, bytes, [&] { allgather(own, all); })};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kAllgather, measure);
}
