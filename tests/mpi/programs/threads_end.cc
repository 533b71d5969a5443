// Errors that end the job while other threads wait: the job must end, with the exit status of the error.
#include "tests/mpi/programs/threads.hpp"

#include <chrono>
#include <string_view>

namespace {

void wait_forever(int tag) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

/// abort, error or departed: what ends the job.
int main(int, char** argv) {
    const rb2::test::ThreadedMpi mpi;
    const std::string_view how(argv[1]);
    if (how == "departed" && mpi.rank != 0) return 0;
    rb2::test::in_threads(4, [&](int thread) {
        if (thread != 3) wait_forever(thread);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        int value = 0;
        if (how == "departed") MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (mpi.rank == 1 && how == "abort") MPI_Abort(MPI_COMM_WORLD, 42);
        if (mpi.rank == 1 && how == "error") MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        wait_forever(thread);
    });
}
