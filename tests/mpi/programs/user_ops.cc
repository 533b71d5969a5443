// User operations in every reduction, on the world and on a communicator in reversed rank order. The
// operation is associative but does not commute: composition of functions x -> a x + b on wrapping integers.
// Any other order of the ranks gives other results.
#include <cstdint>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Ranks;

/// One element is an MPI_UINT64_T: `a` in the upper half, `b` in the lower.
using Line = std::uint64_t;
using Lines = std::vector<Line>;

constexpr Line line(std::uint32_t a, std::uint32_t b) { return (static_cast<Line>(a) << 32) | b; }

/// First `left`, then `right`.
constexpr Line then(Line left, Line right) {
    const auto a = static_cast<std::uint32_t>(left >> 32);
    const auto b = static_cast<std::uint32_t>(left);
    const auto c = static_cast<std::uint32_t>(right >> 32);
    const auto d = static_cast<std::uint32_t>(right);
    return line(a * c, c * b + d);
}
static_assert(then(line(3, 0), line(5, 7)) != then(line(5, 7), line(3, 0)));  // ranks 0 and 1

template <class Count>
void compose(void* in, void* inout, Count* length, MPI_Datatype* datatype) {
    check(*datatype == MPI_UINT64_T, "datatype of the call");
    const auto* left = static_cast<const Line*>(in);
    auto* right = static_cast<Line*>(inout);
    for (Count i = 0; i < *length; ++i) right[i] = then(left[i], right[i]);
}

template <class Count>
void add(void* in, void* inout, Count* length, MPI_Datatype*) {
    for (Count i = 0; i < *length; ++i) static_cast<Line*>(inout)[i] += static_cast<const Line*>(in)[i];
}

Line element(int rank, int i) {
    return line(static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(7 * rank + i));
}

Lines contribution(int rank, int count) {
    Lines lines(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) lines[static_cast<std::size_t>(i)] = element(rank, i);
    return lines;
}

/// Elements first to first + count - 1 of ranks 0 to end - 1, composed in rank order.
Lines composed(int end, int first, int count) {
    Lines lines(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        Line& all = lines[static_cast<std::size_t>(i)];
        all = element(0, first + i);
        for (int rank = 1; rank < end; ++rank) all = then(all, element(rank, first + i));
    }
    return lines;
}

void reductions(const Ranks& on, int count, MPI_Op op) {
    const Lines mine = contribution(on.rank, count);
    const Lines all = composed(on.size, 0, count);
    Lines result(mine.size());
    MPI_Allreduce(mine.data(), result.data(), count, MPI_UINT64_T, op, on.comm);
    check(result == all, "MPI_Allreduce");
    for (int root = 0; root < on.size; ++root) {
        MPI_Reduce(mine.data(), result.data(), count, MPI_UINT64_T, op, root, on.comm);
        check(on.rank != root || result == all, "MPI_Reduce");
    }
    MPI_Scan(mine.data(), result.data(), count, MPI_UINT64_T, op, on.comm);
    check(result == composed(on.rank + 1, 0, count), "MPI_Scan");
    MPI_Exscan(mine.data(), result.data(), count, MPI_UINT64_T, op, on.comm);
    check(on.rank == 0 || result == composed(on.rank, 0, count), "MPI_Exscan");
}

void reduce_scatters(const Ranks& on, int count, MPI_Op op) {
    const Lines mine = contribution(on.rank, count * on.size);
    const Lines expected = composed(on.size, count * on.rank, count);
    Lines result(expected.size());
    MPI_Reduce_scatter_block(mine.data(), result.data(), count, MPI_UINT64_T, op, on.comm);
    check(result == expected, "MPI_Reduce_scatter_block");
    const std::vector<int> counts(static_cast<std::size_t>(on.size), count);
    Lines in_place = mine;
    MPI_Reduce_scatter(MPI_IN_PLACE, in_place.data(), counts.data(), MPI_UINT64_T, op, on.comm);
    in_place.resize(expected.size());
    check(in_place == expected, "MPI_Reduce_scatter in place");
}

void sums(const Ranks& on, MPI_Op op) {
    const Line one = 1;
    Line result = 0;
    MPI_Allreduce(&one, &result, 1, MPI_UINT64_T, op, on.comm);
    check(result == static_cast<Line>(on.size), "MPI_Allreduce with an operation that commutes");
}

void all_of_them(MPI_Comm comm, MPI_Op ordered, MPI_Op commuting) {
    const Ranks on(comm);
    for (const int count : {0, 1, 1000, 50'000}) {
        reductions(on, count, ordered);
        reduce_scatters(on, count, ordered);
    }
    sums(on, commuting);
}

/// Makes both operations, uses them everywhere and frees them.
template <class Count, class Create>
void use(Create create, MPI_Comm reversed) {
    MPI_Op ordered = MPI_OP_NULL;
    MPI_Op commuting = MPI_OP_NULL;
    check(create(compose<Count>, 0, &ordered) == MPI_SUCCESS, "MPI_Op_create");
    check(create(add<Count>, 1, &commuting) == MPI_SUCCESS, "MPI_Op_create");
    int commute = -1;
    MPI_Op_commutative(ordered, &commute);
    check(commute == 0, "MPI_Op_commutative of one that does not");
    MPI_Op_commutative(commuting, &commute);
    check(commute == 1, "MPI_Op_commutative of one that does");
    all_of_them(MPI_COMM_WORLD, ordered, commuting);
    all_of_them(reversed, ordered, commuting);
    MPI_Op_free(&ordered);
    MPI_Op_free(&commuting);
    check(ordered == MPI_OP_NULL && commuting == MPI_OP_NULL, "MPI_Op_free");
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const rb2::test::ReversedWorld reversed(mpi);
    use<int>(MPI_Op_create, reversed.comm);
    use<MPI_Count>(MPI_Op_create_c, reversed.comm);
    return 0;
}
