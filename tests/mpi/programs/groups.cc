// Groups, and communicators made from them.
#include <array>
#include <numeric>
#include <vector>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;

MPI_Group world_group() {
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Comm_group(MPI_COMM_WORLD, &group) == MPI_SUCCESS, "MPI_Comm_group");
    return group;
}

/// The group's ranks as ranks of the world, then frees the group.
std::vector<int> take(MPI_Group group) {
    int size = -1;
    check(MPI_Group_size(group, &size) == MPI_SUCCESS, "MPI_Group_size");
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> in_world(ranks.size(), -5);
    MPI_Group world = world_group();
    check(MPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data()) == MPI_SUCCESS,
          "translate");
    MPI_Group_free(&world);
    check(MPI_Group_free(&group) == MPI_SUCCESS && group == MPI_GROUP_NULL, "MPI_Group_free");
    return in_world;
}

void sets(const Mpi& mpi) {
    MPI_Group world = world_group();
    int rank = -1;
    check(MPI_Group_rank(world, &rank) == MPI_SUCCESS && rank == mpi.rank, "MPI_Group_rank");
    MPI_Group low = MPI_GROUP_NULL;   // 2 0 1
    MPI_Group high = MPI_GROUP_NULL;  // 1 2 3
    const std::array<int, 3> first{2, 0, 1};
    const std::array<int, 1> zero{0};
    MPI_Group_incl(world, 3, first.data(), &low);
    MPI_Group_excl(world, 1, zero.data(), &high);

    int result = -1;
    check(MPI_Group_compare(low, high, &result) == MPI_SUCCESS && result == MPI_UNEQUAL, "unequal");
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Group_union(low, high, &made);
    check(take(made) == std::vector<int>({2, 0, 1, 3}), "union");
    MPI_Group_intersection(low, high, &made);
    check(take(made) == std::vector<int>({2, 1}), "intersection");
    MPI_Group_difference(low, high, &made);
    check(take(made) == std::vector<int>({0}), "difference");
    MPI_Group_difference(low, low, &made);
    check(made == MPI_GROUP_EMPTY, "empty difference");
    check(take(made).empty(), "nothing in the empty group");
    MPI_Group_rank(low, &rank);
    check(rank == (mpi.rank == 3 ? MPI_UNDEFINED : (mpi.rank + 1) % 3), "rank in a group");

    std::array<int, 3> ranges[] = {{3, 1, -2}, {0, 0, 1}};
    MPI_Group_range_incl(world, 2, reinterpret_cast<int(*)[3]>(ranges), &made);
    check(take(made) == std::vector<int>({3, 1, 0}), "range_incl");
    MPI_Group_range_excl(world, 2, reinterpret_cast<int(*)[3]>(ranges), &made);
    check(take(made) == std::vector<int>({2}), "range_excl");
    const std::array<int, 3> sorted{0, 1, 2};
    MPI_Group_incl(world, 3, sorted.data(), &made);
    check(MPI_Group_compare(low, made, &result) == MPI_SUCCESS && result == MPI_SIMILAR, "similar");
    take(made);
    for (MPI_Group* group : {&low, &high, &world}) MPI_Group_free(group);
}

/// Odd and even ranks make a communicator each, in reversed order, in one call.
void create(const Mpi& mpi) {
    MPI_Group world = world_group();
    MPI_Group own = MPI_GROUP_NULL;
    const std::array<int, 2> ranks{mpi.rank % 2 + 2, mpi.rank % 2};
    MPI_Group_incl(world, 2, ranks.data(), &own);
    MPI_Comm pair = MPI_COMM_NULL;
    check(MPI_Comm_create(MPI_COMM_WORLD, own, &pair) == MPI_SUCCESS, "MPI_Comm_create");
    int rank = -1;
    MPI_Comm_rank(pair, &rank);
    check(rank == (mpi.rank < 2 ? 1 : 0), "rank in the pair");
    int sum = 0;
    MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, pair);
    check(sum == 2 * (mpi.rank % 2) + 2, "the pair's members");
    MPI_Group_free(&own);
    MPI_Comm_free(&pair);

    // Who is in no group gets nothing.
    const int one = 1;
    MPI_Group_incl(world, 1, &one, &own);
    MPI_Comm_create(MPI_COMM_WORLD, mpi.rank == 1 ? own : MPI_GROUP_EMPTY, &pair);
    check((pair == MPI_COMM_NULL) == (mpi.rank != 1), "a communicator for the member only");
    if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
    MPI_Group_free(&own);
    MPI_Group_free(&world);
}

void compare_communicators() {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    int result = -1;
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    check(result == MPI_IDENT, "ident");
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    check(result == MPI_CONGRUENT, "congruent");
    MPI_Comm_compare(MPI_COMM_SELF, copy, &result);
    check(result == MPI_UNEQUAL, "unequal");
    MPI_Comm_free(&copy);
}

void misuse() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Group world = world_group();
    MPI_Group made = MPI_GROUP_NULL;
    const std::array<int, 2> twice{1, 1};
    const std::array<int, 1> outside{7};
    int size = 0;
    check(MPI_Group_size(MPI_GROUP_NULL, &size) == MPI_ERR_GROUP, "null group");
    check(MPI_Group_incl(world, 2, twice.data(), &made) == MPI_ERR_RANK, "a rank twice");
    check(MPI_Group_incl(world, 1, outside.data(), &made) == MPI_ERR_RANK, "a rank outside");
    check(MPI_Group_incl(world, -1, outside.data(), &made) == MPI_ERR_ARG, "negative count");
    std::array<int, 3> standing[] = {{0, 2, 0}};
    check(MPI_Group_range_incl(world, 1, reinterpret_cast<int(*)[3]>(standing), &made) == MPI_ERR_ARG,
          "stride 0");
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_create(MPI_COMM_SELF, world, &comm) == MPI_ERR_GROUP, "ranks the parent lacks");
    MPI_Group freed = world;
    MPI_Group_free(&world);
    check(world == MPI_GROUP_NULL && freed != MPI_GROUP_NULL, "freed");
    check(MPI_Group_free(&world) == MPI_ERR_GROUP, "freed twice");
}

}  // namespace

int main() {
    const Mpi mpi;
    check(mpi.size == 4, "four ranks");
    sets(mpi);
    create(mpi);
    compare_communicators();
    misuse();
    return 0;
}
