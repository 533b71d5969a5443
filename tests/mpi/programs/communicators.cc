// Duplicates and splits: ranks, translation of sources, and messages that stay in their communicator.
#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;

/// Messages of two communicators with the same ranks and tags do not mix.
void duplicate(const Mpi& mpi) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int right = (mpi.rank + 1) % mpi.size;
    const int left = (mpi.rank + mpi.size - 1) % mpi.size;
    const int world_value = 1;
    const int copy_value = 2;
    MPI_Request requests[2];
    MPI_Isend(&world_value, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&copy_value, 1, MPI_INT, right, 0, copy, &requests[1]);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, left, 0, copy, MPI_STATUS_IGNORE);
    check(value == copy_value, "message of the duplicate");
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value == world_value, "message of the world");
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy);
}

/// Odd and even ranks, in opposite order.
void split(const Mpi& mpi) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, mpi.rank % 2, -mpi.rank, &half);
    int rank = -1;
    int size = -1;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    const int members = (mpi.size + 1 - mpi.rank % 2) / 2;
    check(size == members, "size of the half");
    check(rank == members - 1 - mpi.rank / 2, "rank in the half, ordered by key");
    int in = -1;
    MPI_Status status;
    const int left = (rank + size - 1) % size;
    MPI_Sendrecv(&mpi.rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, half,
                 &status);
    check(status.MPI_SOURCE == left, "source is a rank of the half");
    check(in == mpi.rank % 2 + 2 * (members - 1 - left), "message within the half");
    int sum = 0;
    MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, half);
    check(sum == members * (members - 1) + (mpi.rank % 2) * members, "collective in the half");
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(half, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

void split_without_some(const Mpi& mpi) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, mpi.rank == 0 ? MPI_UNDEFINED : 7, 0, &part);
    check((part == MPI_COMM_NULL) == (mpi.rank == 0), "no color, no communicator");
    if (part == MPI_COMM_NULL) return;
    int rank = -1;
    MPI_Comm_rank(part, &rank);
    check(rank == mpi.rank - 1, "equal keys keep the order");
    MPI_Comm_free(&part);
}

/// Ids do not run out soon, and error handlers are inherited.
void many(const Mpi& mpi) {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    for (int i = 0; i < 300; ++i) {
        MPI_Comm child = MPI_COMM_NULL;
        MPI_Comm_dup(parent, &child);
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Comm_get_errhandler(child, &handler);
        check(handler == MPI_ERRORS_RETURN, "inherited error handler");
        check(MPI_Send(&i, 1, MPI_INT, mpi.size, 0, child) == MPI_ERR_RANK, "error is returned");
        MPI_Comm_free(&child);
    }
    MPI_Comm_free(&parent);
}

}  // namespace

int main() {
    const Mpi mpi;
    duplicate(mpi);
    split(mpi);
    split_without_some(mpi);
    many(mpi);
    return 0;
}
