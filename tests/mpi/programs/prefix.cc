// Scans and reduce-scatters, on the world and on a communicator in reversed rank order, against a serial
// reference: zero counts, uneven counts, in place.
#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Ranks;
using Values = std::vector<long>;

long element(int rank, long i) { return (rank + 1) * 1000L + i % 997; }

Values contribution(int rank, int count) {
    Values values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element(rank, i);
    return values;
}

/// Elements first to first + count - 1, summed over the ranks below `end`.
Values sums(int end, long first, int count) {
    Values total(static_cast<std::size_t>(count), 0);
    for (int rank = 0; rank < end; ++rank)
        for (int i = 0; i < count; ++i) total[static_cast<std::size_t>(i)] += element(rank, first + i);
    return total;
}

void scan(const Ranks& on, int count) {
    const Values mine = contribution(on.rank, count);
    const Values expected = sums(on.rank + 1, 0, count);
    Values result(mine.size(), -1);
    MPI_Scan(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Scan");
    result = mine;
    MPI_Scan_c(MPI_IN_PLACE, result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Scan_c in place");
    result = mine;
    MPI_Scan(MPI_IN_PLACE, result.data(), count, MPI_LONG, MPI_MIN, on.comm);
    check(result == contribution(0, count), "MPI_Scan, minimum");
}

void exscan(const Ranks& on, int count) {
    const Values mine = contribution(on.rank, count);
    const Values expected = on.rank == 0 ? Values(mine.size(), -1) : sums(on.rank, 0, count);
    Values result(mine.size(), -1);
    MPI_Exscan(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Exscan");
    result = mine;
    MPI_Exscan_c(MPI_IN_PLACE, result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    check(on.rank == 0 || result == expected, "MPI_Exscan_c in place");
    MPI_Exscan(mine.data(), on.rank == 0 ? nullptr : result.data(), count, MPI_LONG, MPI_MAX, on.comm);
    check(on.rank == 0 || result == contribution(on.rank - 1, count), "MPI_Exscan, no buffer at rank 0");
}

/// Every third rank gets nothing, the others more the higher their rank.
void reduce_scatter(const Ranks& on, int scale) {
    std::vector<int> counts;
    std::vector<MPI_Count> large_counts;
    int total = 0;
    int first = 0;
    for (int rank = 0; rank < on.size; ++rank) {
        if (rank == on.rank) first = total;
        counts.push_back(rank % 3 == 1 ? 0 : scale * (rank + 1));
        large_counts.push_back(counts.back());
        total += counts.back();
    }
    const int count = counts[static_cast<std::size_t>(on.rank)];
    const Values mine = contribution(on.rank, total);
    const Values expected = sums(on.size, first, count);
    Values result(expected.size(), -1);
    MPI_Reduce_scatter(mine.data(), result.data(), counts.data(), MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Reduce_scatter");
    result.assign(expected.size(), -1);
    MPI_Reduce_scatter_c(mine.data(), result.data(), large_counts.data(), MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Reduce_scatter_c");
    result = mine;
    MPI_Reduce_scatter(MPI_IN_PLACE, result.data(), counts.data(), MPI_LONG, MPI_SUM, on.comm);
    result.resize(expected.size());
    check(result == expected, "MPI_Reduce_scatter in place");
}

void reduce_scatter_block(const Ranks& on, int count) {
    const Values mine = contribution(on.rank, count * on.size);
    const Values expected = sums(on.size, static_cast<long>(count) * on.rank, count);
    Values result(expected.size(), -1);
    MPI_Reduce_scatter_block(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    check(result == expected, "MPI_Reduce_scatter_block");
    result = mine;
    MPI_Reduce_scatter_block_c(MPI_IN_PLACE, result.data(), count, MPI_LONG, MPI_SUM, on.comm);
    result.resize(expected.size());
    check(result == expected, "MPI_Reduce_scatter_block_c in place");
}

void all_of_them(const Ranks& on) {
    for (const int count : {0, 1, 3, 1000, 50'000}) {
        scan(on, count);
        exscan(on, count);
        reduce_scatter(on, count);
        reduce_scatter_block(on, count);
    }
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const rb2::test::ReversedWorld reversed(mpi);
    all_of_them(Ranks(MPI_COMM_WORLD));
    all_of_them(Ranks(reversed.comm));
    return 0;
}
