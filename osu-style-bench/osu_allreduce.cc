// Time of a sum of floats over all ranks, which all get.
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/together.hpp"

namespace {

using rb2::bench::Run;

std::span<float> floats(std::span<std::byte> data) {
    return {reinterpret_cast<float*>(data.data()), data.size() / sizeof(float)};
}

void allreduce(std::span<const float> out, std::span<float> in) {
    rb2::bench::check(MPI_Allreduce(out.data(), in.data(), static_cast<int>(out.size()), MPI_FLOAT, MPI_SUM,
                                    MPI_COMM_WORLD),
                      "MPI_Allreduce");
}

/// Values whose sum is exact in a float.
void verify(const Run& run, std::span<float> out, std::span<float> in) {
    const int ranks = run.world.size();
    const auto value = [](std::size_t place) { return static_cast<int>(place % 1000); };
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(value(i) + run.world.rank());
    allreduce(out, in);
    for (std::size_t i = 0; i < in.size(); ++i)
        if (in[i] != static_cast<float>(ranks * value(i) + ranks * (ranks - 1) / 2))
            rb2::bench::fail(run.world.rank(), "MPI_Allreduce gave a wrong sum");
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::span<float> out = floats(run.outgoing.first(bytes));
    const std::span<float> in = floats(run.incoming.first(bytes));
    if (run.options.verify) verify(run, out, in);
    return {rb2::bench::mean_us_together(run, bytes, [=] { allreduce(out, in); })};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kAllreduce, measure);
}
