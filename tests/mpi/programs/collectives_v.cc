// The collectives whose ranks give different amounts, on the world and on a communicator in reversed rank
// order, against a serial reference: zero counts, uneven counts, gaps, places in opposite order, in place.
#include <algorithm>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Ranks;
using Values = std::vector<long>;

constexpr long kGap = -1;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Where each rank's elements lie: the last rank's first, with a gap of one behind each.
template <class Count, class Offset>
struct Places {
    std::vector<Count> counts;
    std::vector<Offset> displs;
    std::size_t end = 0;

    explicit Places(std::vector<Count> lengths) : counts(std::move(lengths)), displs(counts.size()) {
        for (std::size_t rank = counts.size(); rank-- > 0;) {
            displs[rank] = static_cast<Offset>(end);
            end += static_cast<std::size_t>(counts[rank]) + 1;
        }
    }
    /// A buffer of gaps, with values(rank, i) at the places of all ranks, or of one.
    template <class Function>
    [[nodiscard]] Values filled(Function values, int only = -1) const {
        Values all(end, kGap);
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            if (only >= 0 && rank != index(only)) continue;
            for (Count i = 0; i < counts[rank]; ++i)
                all[static_cast<std::size_t>(displs[rank] + static_cast<Offset>(i))] =
                    values(static_cast<int>(rank), static_cast<long>(i));
        }
        return all;
    }
    [[nodiscard]] Values empty() const { return Values(end, kGap); }
};
using IntPlaces = Places<int, int>;
using LongPlaces = Places<MPI_Count, MPI_Aint>;

long element(int rank, long i) { return 1'000'000L * (rank + 1) + i; }

Values contribution(int rank, std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = element(rank, static_cast<long>(i));
    return values;
}

/// Elements of each rank: none for every third, else growing with the rank.
template <class Count>
std::vector<Count> uneven(int size, int scale) {
    std::vector<Count> counts(index(size));
    for (int rank = 0; rank < size; ++rank) counts[index(rank)] = rank % 3 == 1 ? 0 : scale * (rank + 1);
    return counts;
}

void gatherv(const Ranks& on, int scale, int root) {
    const IntPlaces places(uneven<int>(on.size, scale));
    const int count = places.counts[index(on.rank)];
    const Values mine = contribution(on.rank, index(count));
    Values all = places.empty();
    MPI_Gatherv(mine.data(), count, MPI_LONG, all.data(), places.counts.data(), places.displs.data(),
                MPI_LONG, root, on.comm);
    check(all == (on.rank == root ? places.filled(element) : places.empty()), "MPI_Gatherv");
    all = places.filled(element, on.rank);
    MPI_Gatherv(on.rank == root ? MPI_IN_PLACE : mine.data(), count, MPI_LONG, all.data(),
                places.counts.data(), places.displs.data(), MPI_LONG, root, on.comm);
    check(on.rank != root || all == places.filled(element), "MPI_Gatherv in place");
}

void scatterv(const Ranks& on, int scale, int root) {
    const IntPlaces places(uneven<int>(on.size, scale));
    const int count = places.counts[index(on.rank)];
    const Values all = on.rank == root ? places.filled(element) : Values();
    const int* const counts = on.rank == root ? places.counts.data() : nullptr;
    const int* const displs = on.rank == root ? places.displs.data() : nullptr;
    Values mine(index(count), kGap);
    MPI_Scatterv(all.data(), counts, displs, MPI_LONG, mine.data(), count, MPI_LONG, root, on.comm);
    check(mine == contribution(on.rank, index(count)), "MPI_Scatterv");
    Values again(index(count), kGap);
    MPI_Scatterv(all.data(), counts, displs, MPI_LONG, on.rank == root ? MPI_IN_PLACE : again.data(), count,
                 MPI_LONG, root, on.comm);
    check(on.rank == root || again == mine, "MPI_Scatterv in place");
    const LongPlaces large(uneven<MPI_Count>(on.size, scale));
    const Values large_all = large.filled(element);
    std::fill(mine.begin(), mine.end(), kGap);
    MPI_Scatterv_c(large_all.data(), large.counts.data(), large.displs.data(), MPI_LONG, mine.data(),
                   large.counts[index(on.rank)], MPI_LONG, root, on.comm);
    check(mine == contribution(on.rank, index(count)), "MPI_Scatterv_c");
}

void allgatherv(const Ranks& on, int scale) {
    const IntPlaces places(uneven<int>(on.size, scale));
    const int count = places.counts[index(on.rank)];
    const Values mine = contribution(on.rank, index(count));
    Values all = places.empty();
    MPI_Allgatherv(mine.data(), count, MPI_LONG, all.data(), places.counts.data(), places.displs.data(),
                   MPI_LONG, on.comm);
    check(all == places.filled(element), "MPI_Allgatherv");
    all = places.filled(element, on.rank);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), places.counts.data(), places.displs.data(),
                   MPI_LONG, on.comm);
    check(all == places.filled(element), "MPI_Allgatherv in place");
    const LongPlaces large(uneven<MPI_Count>(on.size, scale));
    all = large.empty();
    MPI_Allgatherv_c(mine.data(), count, MPI_LONG, all.data(), large.counts.data(), large.displs.data(),
                     MPI_LONG, on.comm);
    check(all == large.filled(element), "MPI_Allgatherv_c");
}

/// What `from` gives `to`: a symmetric amount, so that it can also be exchanged in place.
int amount(int from, int to, int scale) { return (from + to) % 3 == 1 ? 0 : scale * (1 + (from + to) % 4); }
long letter(int from, int to, long i) { return element(100 * from + to, i); }

template <class P, class Count>
void alltoallv(const Ranks& on, int scale,
               int (*call)(const void*, const Count*, const P&, void*, MPI_Comm)) {
    std::vector<Count> counts;
    for (int peer = 0; peer < on.size; ++peer) counts.push_back(amount(on.rank, peer, scale));
    const P places(counts);
    const Values out = places.filled([&](int to, long i) { return letter(on.rank, to, i); });
    const Values expected = places.filled([&](int from, long i) { return letter(from, on.rank, i); });
    Values in = places.empty();
    check(call(out.data(), counts.data(), places, in.data(), on.comm) == MPI_SUCCESS,
          "result of MPI_Alltoallv");
    check(in == expected, "MPI_Alltoallv");
    in = out;
    check(call(MPI_IN_PLACE, nullptr, places, in.data(), on.comm) == MPI_SUCCESS, "result in place");
    check(in == expected, "MPI_Alltoallv in place");
}
int call_alltoallv(const void* out, const int* counts, const IntPlaces& places, void* in, MPI_Comm comm) {
    return MPI_Alltoallv(out, counts, places.displs.data(), MPI_LONG, in, places.counts.data(),
                         places.displs.data(), MPI_LONG, comm);
}
int call_alltoallv_c(const void* out, const MPI_Count* counts, const LongPlaces& places, void* in,
                     MPI_Comm comm) {
    return MPI_Alltoallv_c(out, counts, places.displs.data(), MPI_LONG, in, places.counts.data(),
                           places.displs.data(), MPI_LONG, comm);
}

/// Only the neighbours to the right get anything: sends and receives of one rank differ.
void to_the_right(const Ranks& on) {
    const int right = (on.rank + 1) % on.size;
    const int left = (on.rank + on.size - 1) % on.size;
    std::vector<int> out_counts(index(on.size), 0);
    std::vector<int> in_counts(index(on.size), 0);
    const std::vector<int> displs(index(on.size), 0);
    out_counts[index(right)] = on.rank + 1;
    in_counts[index(left)] = left + 1;
    const Values out = contribution(on.rank, index(on.rank + 1));
    Values in(index(left + 1), kGap);
    MPI_Alltoallv(out.data(), out_counts.data(), displs.data(), MPI_LONG, in.data(), in_counts.data(),
                  displs.data(), MPI_LONG, on.comm);
    check(in == contribution(left, index(left + 1)), "MPI_Alltoallv to the right");
}

/// Blocks around the size where the algorithm changes.
void alltoall(const Ranks& on, int count) {
    Values out;
    Values expected;
    for (int peer = 0; peer < on.size; ++peer)
        for (int i = 0; i < count; ++i) {
            out.push_back(letter(on.rank, peer, i));
            expected.push_back(letter(peer, on.rank, i));
        }
    Values in(out.size(), kGap);
    MPI_Alltoall(out.data(), count, MPI_LONG, in.data(), count, MPI_LONG, on.comm);
    check(in == expected, "MPI_Alltoall");
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), count, MPI_LONG, on.comm);
    check(out == expected, "MPI_Alltoall in place");
}

void all_of_them(const Ranks& on) {
    for (const int scale : {0, 1, 50, 20'000}) {
        for (int root = 0; root < on.size; ++root) {
            gatherv(on, scale, root);
            scatterv(on, scale, root);
        }
        allgatherv(on, scale);
        alltoallv(on, scale, call_alltoallv);
        alltoallv(on, scale, call_alltoallv_c);
    }
    for (const int count : {1, 31, 32, 33, 5000}) alltoall(on, count);
    to_the_right(on);
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const rb2::test::ReversedWorld reversed(mpi);
    all_of_them(Ranks(MPI_COMM_WORLD));
    all_of_them(Ranks(reversed.comm));
    return 0;
}
