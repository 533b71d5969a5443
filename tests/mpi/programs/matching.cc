// Wildcards, order and null ranks among all ranks.
#include <array>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;

/// Rank 0 receives from whoever comes; messages of one source arrive in their order.
void any_source_keeps_order(const Mpi& mpi) {
    constexpr int each = 500;
    if (mpi.rank != 0) {
        for (int i = 0; i < each; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 3, MPI_COMM_WORLD);
        return;
    }
    std::vector<int> next(static_cast<std::size_t>(mpi.size), 0);
    for (int i = 0; i < each * (mpi.size - 1); ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        check(status.MPI_SOURCE > 0 && status.MPI_SOURCE < mpi.size, "source");
        int& expected = next[static_cast<std::size_t>(status.MPI_SOURCE)];
        check(value == expected && status.MPI_TAG == value % 3, "order and tag of each source");
        ++expected;
    }
}

/// Messages overtake each other only by tag.
void tags_select(const Mpi& mpi) {
    const int left = (mpi.rank + mpi.size - 1) % mpi.size;
    const int right = (mpi.rank + 1) % mpi.size;
    std::array<MPI_Request, 4> requests{};
    std::array<int, 4> out{10, 11, 12, 13};
    for (std::size_t i = 0; i < 4; ++i)
        MPI_Isend(&out[i], 1, MPI_INT, right, static_cast<int>(i % 2), MPI_COMM_WORLD, &requests[i]);
    const auto take = [&](int tag) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return value;
    };
    check(take(1) == 11, "first of tag 1");
    check(take(MPI_ANY_TAG) == 10, "first of any tag");
    check(take(1) == 13, "second of tag 1");
    check(take(0) == 12, "second of tag 0");
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
}

/// A shift with open ends: the ends talk to the null rank.
void shift_with_null_ends(const Mpi& mpi) {
    const int left = mpi.rank == 0 ? MPI_PROC_NULL : mpi.rank - 1;
    const int right = mpi.rank == mpi.size - 1 ? MPI_PROC_NULL : mpi.rank + 1;
    int in = -1;
    MPI_Status status;
    MPI_Sendrecv(&mpi.rank, 1, MPI_INT, right, 4, &in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status);
    check(in == (mpi.rank == 0 ? -1 : left), "value from the left");
    check(status.MPI_SOURCE == left, "source, also of the null rank");
}

/// Every rank sends a large message round the ring at the same time: no rank waits for another's receive.
void large_ring(const Mpi& mpi) {
    const int left = (mpi.rank + mpi.size - 1) % mpi.size;
    const int right = (mpi.rank + 1) % mpi.size;
    auto data = rb2::test::pattern(1u << 20, static_cast<unsigned>(mpi.rank));
    for (int step = 0; step < mpi.size; ++step)
        MPI_Sendrecv_replace(data.data(), static_cast<int>(data.size()), MPI_BYTE, right, step, left, step,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(data == rb2::test::pattern(1u << 20, static_cast<unsigned>(mpi.rank)),
          "own data back after a full round");
}

/// A sender far ahead of its receiver: everything is kept, in order.
void flood(const Mpi& mpi) {
    constexpr int messages = 20'000;
    if (mpi.rank == 1)
        for (int i = 0; i < messages; ++i) MPI_Send(&i, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    if (mpi.rank != 0) return;
    for (int i = 0; i < messages; ++i) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value == i, "order under back-pressure");
    }
}

}  // namespace

int main() {
    const Mpi mpi;
    any_source_keeps_order(mpi);
    MPI_Barrier(MPI_COMM_WORLD);
    tags_select(mpi);
    shift_with_null_ends(mpi);
    large_ring(mpi);
    flood(mpi);
    return 0;
}
