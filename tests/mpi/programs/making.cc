// Communicators made from groups, by machine, with names, and while the ranks go on.
#include <array>
#include <cstring>
#include <string>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::Ranks;

/// A group of every second world rank, from `first` on.
class EverySecond {
  public:
    EverySecond(const Mpi& mpi, int first) {
        MPI_Group world = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        int range[1][3] = {{first, mpi.size - 1, 2}};
        MPI_Group_range_incl(world, 1, range, &group);
        MPI_Group_free(&world);
        has_me = mpi.rank % 2 == first % 2;
        size = (mpi.size + 1 - first) / 2;
    }
    ~EverySecond() { MPI_Group_free(&group); }
    EverySecond(const EverySecond&) = delete;
    EverySecond& operator=(const EverySecond&) = delete;

    MPI_Group group = MPI_GROUP_NULL;
    bool has_me = false;
    int size = 0;
};

/// The sum of the world ranks in a communicator, by a collective over it.
int sum_of_ranks(const Mpi& mpi, MPI_Comm comm) {
    int sum = -1;
    MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/// The odd ranks do not take part, and compute meanwhile.
void of_a_group(const Mpi& mpi) {
    const EverySecond even(mpi, 0);
    if (!even.has_me) return;
    for (const int tag : {0, 17}) {
        MPI_Comm comm = MPI_COMM_NULL;
        check(MPI_Comm_create_group(MPI_COMM_WORLD, even.group, tag, &comm) == MPI_SUCCESS, "create_group");
        check(Ranks(comm).size == even.size && Ranks(comm).rank == mpi.rank / 2, "ranks of the group");
        check(sum_of_ranks(mpi, comm) == even.size * (even.size - 1), "collective in the group");
        MPI_Comm_free(&comm);
    }
}

void without_a_parent(const Mpi& mpi) {
    const EverySecond even(mpi, 0);
    const EverySecond odd(mpi, 1);
    const EverySecond& own = even.has_me ? even : odd;
    const EverySecond& other = even.has_me ? odd : even;
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_create_from_group(own.group, "org.example.half", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &comm) == MPI_SUCCESS,
          "create_from_group");
    check(Ranks(comm).size == own.size, "ranks of the own half");
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    if (mpi.size < 2) return;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create_from_groups(own.group, own.size - 1, other.group, other.size - 1,
                                     "org.example.halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
    int remote_size = -1;
    MPI_Comm_remote_size(inter, &remote_size);
    check(remote_size == other.size, "ranks of the other half");
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
}

void by_machine(const Mpi& mpi) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -mpi.rank, MPI_INFO_NULL, &comm);
    check(Ranks(comm).size == mpi.size, "all ranks share this machine's memory");
    check(Ranks(comm).rank == mpi.size - 1 - mpi.rank, "ordered by key");
    MPI_Comm_free(&comm);
    const int type = mpi.rank == 0 ? int{MPI_UNDEFINED} : int{MPI_COMM_TYPE_SHARED};
    MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &comm);
    check((comm == MPI_COMM_NULL) == (mpi.rank == 0), "undefined: none");
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm);
    check(comm == MPI_COMM_NULL, "no finer part of the machine");
}

void names() {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = -1;
    MPI_Comm_get_name(MPI_COMM_WORLD, name.data(), &length);
    check(std::strcmp(name.data(), "MPI_COMM_WORLD") == 0 && length == 14, "name of the world");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    MPI_Comm_get_name(comm, name.data(), &length);
    check(length == 0 && name[0] == '\0', "a new communicator has no name");
    const std::string long_name(2 * MPI_MAX_OBJECT_NAME, 'x');
    MPI_Comm_set_name(comm, long_name.c_str());
    MPI_Comm_get_name(comm, name.data(), &length);
    check(length == MPI_MAX_OBJECT_NAME - 1, "a long name is cut");
    MPI_Comm_free(&comm);
}

/// Rank 0 starts a duplicate, sends what the others wait for, and only then completes it.
void while_going_on(const Mpi& mpi) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 0;
    if (mpi.rank != 0) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    if (mpi.rank == 0)
        for (int rank = 1; rank < mpi.size; ++rank) MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum_of_ranks(mpi, copy) == mpi.size * (mpi.size - 1) / 2, "collective in the duplicate");
    MPI_Comm_free(&copy);
}

/// Two duplicates under way at once, of communicators that the ranks go through in different orders.
void at_the_same_time(const Mpi& mpi) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi.rank, &reversed);
    const MPI_Comm parents[] = {MPI_COMM_WORLD, reversed};
    MPI_Comm copies[] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const int first = mpi.rank % 2;
    for (const int which : {first, 1 - first})
        MPI_Comm_idup(parents[which], &copies[which], &requests[which]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // The same ranks and tags in both: a message in the wrong one would be seen.
    const int right = (mpi.rank + 1) % mpi.size;
    const int left = (mpi.rank + mpi.size - 1) % mpi.size;
    MPI_Request sends[2];
    const int values[] = {1, 2};
    MPI_Isend(&values[1], 1, MPI_INT, mpi.size - 1 - right, 0, copies[1], &sends[1]);
    MPI_Isend(&values[0], 1, MPI_INT, right, 0, copies[0], &sends[0]);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, left, 0, copies[0], MPI_STATUS_IGNORE);
    check(value == 1, "message of the world's duplicate");
    MPI_Recv(&value, 1, MPI_INT, mpi.size - 1 - left, 0, copies[1], MPI_STATUS_IGNORE);
    check(value == 2, "message of the other one");
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);
}

}  // namespace

int main() {
    const Mpi mpi;
    of_a_group(mpi);
    without_a_parent(mpi);
    by_machine(mpi);
    names();
    for (int round = 0; round < 20; ++round) {
        while_going_on(mpi);
        at_the_same_time(mpi);
    }
}
