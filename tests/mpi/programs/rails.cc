// Long messages both ways between two ranks, for jobs over several devices. rails [COMMAND]: rank 0 has the
// shell do the command while the messages of the middle round are under way, such as taking a device away.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::pattern;

constexpr int kRounds = 3;
constexpr std::size_t kBytes = (std::size_t{3} << 20) + 77;  // no whole number of blocks
constexpr int kMessages = 2;                                 // of each rank at a time

unsigned seed(int rank, int round, int message) {
    return static_cast<unsigned>((rank * kRounds + round) * kMessages + message + 1);
}

/// Returns whether what arrived is what was sent.
bool exchange(const Mpi& mpi, int round, const char* command) {
    const int peer = 1 - mpi.rank;
    std::vector<std::vector<unsigned char>> out, in(kMessages);
    std::vector<MPI_Request> requests(2 * kMessages);
    for (int i = 0; i < kMessages; ++i) {
        out.push_back(pattern(kBytes, seed(mpi.rank, round, i)));
        in[i].resize(kBytes);
        MPI_Irecv(in[i].data(), kBytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out[i].data(), kBytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[kMessages + i]);
    }
    if (command != nullptr && mpi.rank == 0 && round == kRounds / 2) {
        int done = 0;
        for (int tests = 0; tests < 3 && done == 0; ++tests)  // the first blocks leave
            MPI_Testall(2 * kMessages, requests.data(), &done, MPI_STATUSES_IGNORE);
        check(std::system(command) == 0, "the command");
    }
    MPI_Waitall(2 * kMessages, requests.data(), MPI_STATUSES_IGNORE);
    bool good = true;
    for (int i = 0; i < kMessages; ++i) good = good && in[i] == pattern(kBytes, seed(peer, round, i));
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    const Mpi mpi;
    for (int round = 0; round < kRounds; ++round)
        check(exchange(mpi, round, argc > 1 ? argv[1] : nullptr), "contents");
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
