// Where ranks share a CPU, those that are done let the others finish before they leave: what it takes to
// leave must not come between the last messages.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;

/// Before MPI_Init, so that the ranks know that they share it.
void settle_on_one_cpu() {
    cpu_set_t cpus;
    check(sched_getaffinity(0, sizeof cpus, &cpus) == 0, "sched_getaffinity");
    for (std::size_t cpu = 0; CPU_COUNT(&cpus) > 1; ++cpu) CPU_CLR(cpu, &cpus);
    check(sched_setaffinity(0, sizeof cpus, &cpus) == 0, "sched_setaffinity");
}

/// Of a process; 0 when it has ended. The launcher's client has one, until the rank has left the job.
long threads_of(int pid) {
    std::error_code gone;
    long count = 0;
    for (std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/task", gone), end;
         at != end; at.increment(gone))
        ++count;
    return count;
}

void pass_token(const rb2::test::Mpi& mpi) {
    char token = 0;
    const int next = (mpi.rank + 1) % mpi.size;
    const int previous = (mpi.rank + mpi.size - 1) % mpi.size;
    if (mpi.rank == 0) MPI_Send(&token, 1, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (mpi.rank != 0) MPI_Send(&token, 1, MPI_CHAR, next, 0, MPI_COMM_WORLD);
}

int count_gone(const std::vector<int>& pids, const std::vector<long>& threads) {
    int gone = 0;
    for (std::size_t rank = 1; rank < pids.size(); ++rank)
        if (threads_of(pids[rank]) < threads[rank]) ++gone;
    return gone;
}

}  // namespace

int main() {
    settle_on_one_cpu();
    const rb2::test::Mpi mpi;
    const int pid = static_cast<int>(getpid());
    std::vector<int> pids(static_cast<std::size_t>(mpi.size));
    MPI_Gather(&pid, 1, MPI_INT, pids.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::vector<long> threads;
    if (mpi.rank == 0)
        for (const int each : pids) threads.push_back(threads_of(each));
    for (int lap = 0; lap < 3; ++lap) pass_token(mpi);
    if (mpi.rank != 0) return 0;
    const int gone = count_gone(pids, threads);
    if (gone != 0) std::fprintf(stderr, "%d ranks had left before the token was round\n", gone);
    return gone == 0 ? 0 : 1;
}
