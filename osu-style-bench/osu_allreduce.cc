// Time of a sum of floats over all ranks, which all get.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/sums.hpp"
#include "osu-style-bench/mpi/together.hpp"

namespace {

using rb2::bench::Run;

void allreduce(std::span<const float> out, std::span<float> in) {
    rb2::bench::check(MPI_Allreduce(out.data(), in.data(), static_cast<int>(out.size()), MPI_FLOAT, MPI_SUM,
                                    MPI_COMM_WORLD),
                      "MPI_Allreduce");
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::span<float> out = rb2::bench::floats(run.outgoing.first(bytes));
    const std::span<float> in = rb2::bench::floats(run.incoming.first(bytes));
    if (run.options.verify) {
        rb2::bench::fill_addends(run, out);
        allreduce(out, in);
        rb2::bench::expect_sums(run, in, "MPI_Allreduce");
    }
    return {rb2::bench::mean_us_together(run, bytes, [=] { allreduce(out, in); })};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kAllreduce, measure);
}
