// Ranks that only wait let each other sleep: they must not wake one another when they go to sleep themselves.
#include <linux/membarrier.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

long switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/// Without the kernel's barrier a rank sleeps in slices of a millisecond (runtime/wait/doorbell.hpp).
long allowed() {
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0U, 0);
    return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 ? 200 : 3000;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int token = 0;
    int wrong = 0;
    if (rank == 0) {
        std::this_thread::sleep_for(std::chrono::seconds(2));
        for (int to = 1; to < size; ++to) MPI_Send(&token, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    } else {
        const long before = switches();
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const long count = switches() - before;
        if (count > allowed()) {
            std::fprintf(stderr, "rank %d woke up %ld times in 2 s of waiting, expected at most %ld\n", rank,
                         count, allowed());
            wrong = 1;
        }
    }
    MPI_Finalize();
    return wrong;
}
