// Collectives on derived datatypes: every buffer has gaps, which must stay as they were. The data are ints; a
// "spaced" int is followed by a gap of 8 bytes, a "late" one preceded by it.
#include <algorithm>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Ranks;

constexpr int kStride = 3;  // ints per element
constexpr int kGap = -77;

/// A committed type of one int and a gap.
class Spaced {
  public:
    explicit Spaced(int place) : place_(place) {
        MPI_Datatype one = MPI_DATATYPE_NULL;
        MPI_Type_create_indexed_block(1, 1, &place, MPI_INT, &one);
        MPI_Type_create_resized(one, 0, kStride * sizeof(int), &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&one);
    }
    ~Spaced() { MPI_Type_free(&type); }
    Spaced(const Spaced&) = delete;
    Spaced& operator=(const Spaced&) = delete;

    [[nodiscard]] std::vector<int> memory(const std::vector<int>& values) const {
        std::vector<int> ints(values.size() * kStride, kGap);
        for (std::size_t i = 0; i < values.size(); ++i)
            ints[i * kStride + static_cast<std::size_t>(place_)] = values[i];
        return ints;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;

  private:
    int place_;
};

std::vector<int> values(int rank, int count, int first = 0) {
    std::vector<int> made;
    for (int i = 0; i < count; ++i) made.push_back(1000 * rank + first + i);
    return made;
}

std::vector<int> of_all(int ranks, int count, int first = 0) {
    std::vector<int> made;
    for (int rank = 0; rank < ranks; ++rank)
        for (const int value : values(rank, count, first)) made.push_back(value);
    return made;
}

std::vector<int> zeros(int count) { return std::vector<int>(static_cast<std::size_t>(count)); }

struct Types {
    Spaced first{0};
    Spaced late{2};
};

void broadcast(const Ranks& ranks, const Types& types, int count) {
    const int root = ranks.size - 1;
    auto memory = types.late.memory(ranks.rank == root ? values(7, count) : zeros(count));
    MPI_Bcast(memory.data(), count, types.late.type, root, ranks.comm);
    check(memory == types.late.memory(values(7, count)), "bcast");
}

void gather_and_scatter(const Ranks& ranks, const Types& types, int count) {
    const int root = ranks.size / 2;
    const auto out = types.first.memory(values(ranks.rank, count));
    auto all = types.late.memory(zeros(count * ranks.size));
    MPI_Gather(out.data(), count, types.first.type, all.data(), count, types.late.type, root, ranks.comm);
    const bool at_root = ranks.rank == root;
    if (at_root) check(all == types.late.memory(of_all(ranks.size, count)), "gather");
    auto part = types.first.memory(zeros(count));
    MPI_Scatter(all.data(), count, types.late.type, part.data(), count, types.first.type, root, ranks.comm);
    check(part == out, "scatter");
    if (at_root) {
        MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, types.late.type, root, ranks.comm);
        check(all == types.late.memory(of_all(ranks.size, count)), "gather in place");
    } else {
        MPI_Gather(out.data(), count, types.first.type, nullptr, 0, MPI_INT, root, ranks.comm);
    }
}

/// Rank r has count + r elements; blocks lie in reversed order.
struct Uneven {
    std::vector<int> counts;
    std::vector<int> places;
    int total = 0;

    Uneven(int ranks, int count) : counts(static_cast<std::size_t>(ranks)), places(counts.size()) {
        for (std::size_t rank = counts.size(); rank-- > 0;) {
            counts[rank] = count + static_cast<int>(rank);
            places[rank] = total;
            total += counts[rank];
        }
    }
    [[nodiscard]] std::vector<int> expected() const {
        std::vector<int> made(static_cast<std::size_t>(total));
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            const auto block = values(static_cast<int>(rank), counts[rank]);
            std::copy(block.begin(), block.end(), made.begin() + places[rank]);
        }
        return made;
    }
};

void uneven_blocks(const Ranks& ranks, const Types& types, int count) {
    const Uneven blocks(ranks.size, count);
    const int own = count + ranks.rank;
    const auto out = types.first.memory(values(ranks.rank, own));
    const auto expected = types.late.memory(blocks.expected());
    auto all = types.late.memory(zeros(blocks.total));
    MPI_Gatherv(out.data(), own, types.first.type, all.data(), blocks.counts.data(), blocks.places.data(),
                types.late.type, 0, ranks.comm);
    if (ranks.rank == 0) check(all == expected, "gatherv");
    auto part = types.first.memory(zeros(own));
    MPI_Scatterv(all.data(), blocks.counts.data(), blocks.places.data(), types.late.type, part.data(), own,
                 types.first.type, 0, ranks.comm);
    check(part == out, "scatterv");
    all = types.late.memory(zeros(blocks.total));
    MPI_Allgatherv(out.data(), own, types.first.type, all.data(), blocks.counts.data(), blocks.places.data(),
                   types.late.type, ranks.comm);
    check(all == expected, "allgatherv");
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all.data(), blocks.counts.data(), blocks.places.data(),
                   types.late.type, ranks.comm);
    check(all == expected, "allgatherv in place");
}

void everybody(const Ranks& ranks, const Types& types, int count) {
    const auto out = types.first.memory(values(ranks.rank, count));
    auto all = types.late.memory(zeros(count * ranks.size));
    MPI_Allgather(out.data(), count, types.first.type, all.data(), count, types.late.type, ranks.comm);
    check(all == types.late.memory(of_all(ranks.size, count)), "allgather");
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, types.late.type, ranks.comm);
    check(all == types.late.memory(of_all(ranks.size, count)), "allgather in place");

    const auto given = types.first.memory(values(ranks.rank, count * ranks.size));
    const auto expected = types.late.memory(of_all(ranks.size, count, ranks.rank * count));
    all = types.late.memory(zeros(count * ranks.size));
    MPI_Alltoall(given.data(), count, types.first.type, all.data(), count, types.late.type, ranks.comm);
    check(all == expected, "alltoall");
    all = types.late.memory(values(ranks.rank, count * ranks.size));
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, types.late.type, ranks.comm);
    check(all == expected, "alltoall in place");

    std::vector<int> counts(static_cast<std::size_t>(ranks.size), count);
    std::vector<int> places;
    for (int rank = 0; rank < ranks.size; ++rank) places.push_back(rank * count);
    all = types.late.memory(zeros(count * ranks.size));
    MPI_Alltoallv(given.data(), counts.data(), places.data(), types.first.type, all.data(), counts.data(),
                  places.data(), types.late.type, ranks.comm);
    check(all == expected, "alltoallv");
    all = types.late.memory(values(ranks.rank, count * ranks.size));
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, all.data(), counts.data(), places.data(),
                  types.late.type, ranks.comm);
    check(all == expected, "alltoallv in place");
    auto plain = zeros(count * ranks.size);
    MPI_Alltoallv(given.data(), counts.data(), places.data(), types.first.type, plain.data(), counts.data(),
                  places.data(), MPI_INT, ranks.comm);
    check(plain == of_all(ranks.size, count, ranks.rank * count), "alltoallv to plain ints");
}

/// Adds the ints of elements with gaps; `kPlace` says where they are.
template <int kPlace>
void add(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int i = 0; i < *length; ++i)
        static_cast<int*>(inout)[i * kStride + kPlace] += static_cast<const int*>(in)[i * kStride + kPlace];
}

std::vector<int> sums(int ranks, int count, int first = 0) {
    std::vector<int> made = zeros(count);
    for (int rank = 0; rank < ranks; ++rank)
        for (int i = 0; i < count; ++i) made[static_cast<std::size_t>(i)] += 1000 * rank + first + i;
    return made;
}

void reductions(const Ranks& ranks, const Types& types, int count) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add<2>, 1, &op);
    const Spaced& late = types.late;
    const auto out = late.memory(values(ranks.rank, count));
    auto in = late.memory(zeros(count));
    MPI_Reduce(out.data(), in.data(), count, late.type, op, 0, ranks.comm);
    if (ranks.rank == 0) check(in == late.memory(sums(ranks.size, count)), "reduce");
    in = late.memory(zeros(count));
    MPI_Allreduce(out.data(), in.data(), count, late.type, op, ranks.comm);
    check(in == late.memory(sums(ranks.size, count)), "allreduce");
    in = out;
    MPI_Allreduce(MPI_IN_PLACE, in.data(), count, late.type, op, ranks.comm);
    check(in == late.memory(sums(ranks.size, count)), "allreduce in place");
    MPI_Scan(out.data(), in.data(), count, late.type, op, ranks.comm);
    check(in == late.memory(sums(ranks.rank + 1, count)), "scan");
    MPI_Exscan(out.data(), in.data(), count, late.type, op, ranks.comm);
    if (ranks.rank > 0) check(in == late.memory(sums(ranks.rank, count)), "exscan");

    const auto many = late.memory(values(ranks.rank, count * ranks.size));
    in = late.memory(zeros(count));
    MPI_Reduce_scatter_block(many.data(), in.data(), count, late.type, op, ranks.comm);
    check(in == late.memory(sums(ranks.size, count, ranks.rank * count)), "reduce_scatter_block");
    MPI_Op_free(&op);
}

/// Elements longer than their extent cannot lie one extent apart while they are reduced.
void add_overlapping(void* in, void* inout, int* length, MPI_Datatype*) {
    check(*length == 1, "one at a time");
    for (const int place : {0, 4}) static_cast<int*>(inout)[place] += static_cast<const int*>(in)[place];
}

void overlapping_reduction(const Ranks& ranks) {
    const int places[] = {0, 4};
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &apart);
    MPI_Type_create_resized(apart, 0, sizeof(int), &type);  // elements interleave: ints 0 and 4, 1 and 5, …
    MPI_Type_commit(&type);
    MPI_Type_free(&apart);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add_overlapping, 1, &op);
    std::vector<int> ints = values(ranks.rank, 8);
    MPI_Allreduce(MPI_IN_PLACE, ints.data(), 4, type, op, ranks.comm);
    check(ints == sums(ranks.size, 8), "interleaved elements");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/// MPI_DOUBLE_INT has padding, and can be reduced as well as moved.
void pairs(const Ranks& ranks) {
    struct Pair {
        double value;
        int index;
    };
    const Pair own{static_cast<double>((ranks.rank + 1) % ranks.size), ranks.rank};
    Pair least{};
    MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, ranks.comm);
    check(least.value == 0 && least.index == ranks.size - 1, "minloc");
    std::vector<Pair> all(static_cast<std::size_t>(ranks.size));
    MPI_Allgather(&own, 1, MPI_DOUBLE_INT, all.data(), 1, MPI_DOUBLE_INT, ranks.comm);
    for (int rank = 0; rank < ranks.size; ++rank)
        check(all[static_cast<std::size_t>(rank)].index == rank, "allgather of pairs");
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const rb2::test::ReversedWorld reversed(mpi);
    const Types types;
    for (const MPI_Comm comm : {MPI_COMM_WORLD, reversed.comm}) {
        const Ranks ranks(comm);
        for (const int count : {0, 1, 5, 3000}) {
            broadcast(ranks, types, count);
            gather_and_scatter(ranks, types, count);
            uneven_blocks(ranks, types, count);
            everybody(ranks, types, count);
            reductions(ranks, types, count);
        }
        overlapping_reduction(ranks);
        pairs(ranks);
    }
}
