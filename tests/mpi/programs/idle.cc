// Ranks that only wait let each other sleep: they must not wake one another when they go to sleep themselves,
// nor keep a CPU busy.
#include <linux/membarrier.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

/// Seconds of a CPU that this process has used.
double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

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
        const double used = cpu_seconds();
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const long count = switches() - before;
        const double share = (cpu_seconds() - used) / 2;
        if (share > 0.05) {
            std::fprintf(stderr, "rank %d used %.0f %% of a CPU while it waited\n", rank, share * 100);
            wrong = 1;
        }
        if (count > allowed()) {
            std::fprintf(stderr, "rank %d woke up %ld times in 2 s of waiting, expected at most %ld\n", rank,
                         count, allowed());
            wrong = 1;
        }
    }
    MPI_Finalize();
    return wrong;
}
