// Time until all ranks have a block from each, that for them.
#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/together.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::PageBuffer;
using rb2::bench::Run;

void alltoall(const PageBuffer& out, const PageBuffer& in, std::size_t block) {
    const int bytes = static_cast<int>(block);
    rb2::bench::check(MPI_Alltoall(out.first(0).data(), bytes, MPI_BYTE, in.first(0).data(), bytes, MPI_BYTE,
                                   MPI_COMM_WORLD),
                      "MPI_Alltoall");
}

/// The block for a rank is the sender's message of that number.
void verify(const Run& run, const PageBuffer& out, const PageBuffer& in, std::size_t block) {
    const auto ranks = static_cast<std::size_t>(run.world.size());
    const int own = run.world.rank();
    for (std::size_t to = 0; to < ranks; ++to)
        rb2::bench::fill_pattern(out.piece(to, block), rb2::bench::pattern_seed(own, to));
    alltoall(out, in, block);
    for (std::size_t from = 0; from < ranks; ++from)
        rb2::bench::expect_pattern(in.piece(from, block), own, static_cast<int>(from),
                                   static_cast<std::size_t>(own));
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::size_t total = bytes * static_cast<std::size_t>(run.world.size());
    const PageBuffer out(total);
    const PageBuffer in(total);
    if (run.options.verify) verify(run, out, in, bytes);
    return {rb2::bench::mean_us_together(run, bytes, [&] { alltoall(out, in, bytes); })};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kAlltoall, measure);
}
