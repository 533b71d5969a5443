// Two ranks that find themselves on one CPU, as the kernel starts them now and then, do not stay there taking
// turns with every message.
#include <sched.h>
#include <sys/resource.h>

#include <cstdio>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;

/// Turns taken against one's will, or by yields.
long switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

cpu_set_t first_of(const cpu_set_t& cpus) {
    cpu_set_t first;
    CPU_ZERO(&first);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++cpu)
        if (CPU_ISSET(cpu, &cpus)) CPU_SET(cpu, &first);
    return first;
}

/// All that may move do so onto the first CPU; then they may leave it.
void crowd_together(const cpu_set_t& all) {
    const cpu_set_t one = first_of(all);
    check(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
    MPI_Barrier(MPI_COMM_WORLD);
    check(sched_setaffinity(0, sizeof all, &all) == 0, "sched_setaffinity");
}

void round_trips(const rb2::test::Mpi& mpi, int count) {
    char byte = 0;
    const int peer = 1 - mpi.rank;
    for (int i = 0; i < count; ++i) {
        if (mpi.rank == 0) MPI_Send(&byte, 1, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(&byte, 1, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (mpi.rank == 1) MPI_Send(&byte, 1, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    }
}

constexpr int kTrips = 2000;

/// Of the two ranks the one with fewer: if no other CPU is idle, one that is woken may take the other's.
long turns_taken(const rb2::test::Mpi& mpi, const cpu_set_t& all) {
    crowd_together(all);
    const long before = switches();
    round_trips(mpi, kTrips);
    const long own = switches() - before;
    long taken = 0;
    MPI_Allreduce(&own, &taken, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    return taken;
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    cpu_set_t all;
    check(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
    if (CPU_COUNT(&all) < 2) {
        std::puts("one CPU only: nothing to see");
        return 0;
    }
    // On a machine that has much else to do they may not find another one at once.
    for (int attempt = 0; attempt < 5; ++attempt) {
        const long taken = turns_taken(mpi, all);
        if (taken <= kTrips / 10) return 0;
        std::fprintf(stderr, "both ranks gave their CPU away %ld times in %d round trips\n", taken, kTrips);
    }
    return 1;
}
