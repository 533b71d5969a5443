// The collectives whose ranks give different amounts, on the world and on a communicator in reversed rank
// order, against a serial reference: zero counts, uneven counts, gaps, places in opposite order, in place.
#include <algorithm>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using Values = std::vector<long>;

constexpr long kGap = -1;

/// Ranks of one communicator.
struct Ranks {
    MPI_Comm comm;
    int rank = -1;
    int size = 0;

    explicit Ranks(MPI_Comm of) : comm(of) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
};

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

void all_of_them(const Ranks& on) {
    for (const int scale : {0, 1, 50, 20'000}) {
        for (int root = 0; root < on.size; ++root) {
            gatherv(on, scale, root);
            scatterv(on, scale, root);
        }
    }
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    all_of_them(Ranks(MPI_COMM_WORLD));
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi.rank, &reversed);
    all_of_them(Ranks(reversed));
    MPI_Comm_free(&reversed);
    return 0;
}
