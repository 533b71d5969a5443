// A rank asks the scheduler for short slices when MPI starts; not when it was told not to (argument: left).
#include <thread>

#include "runtime/wait/slice.hpp"
#include "tests/mpi/programs/check.hpp"

int main(int argc, char** argv) {
    using namespace rb2;
    const bool left = argc > 1;
    const auto before = wait::slice_ns();
    MPI_Init(&argc, &argv);
    // Nothing to ask for on kernels that have none.
    const auto expected = left || before == 0 ? before : wait::kShortestSliceNs;
    test::check(wait::slice_ns() == expected, "the slice of the rank's thread");
    std::thread([expected] {
        test::check(wait::slice_ns() == expected, "the slice of a thread that it has started");
    }).join();
    MPI_Finalize();
}
