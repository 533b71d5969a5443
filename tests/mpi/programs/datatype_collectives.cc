// Collectives on derived datatypes: every buffer has gaps, which must stay as they were. The data are ints; a
// "spaced" int is followed by a gap of 8 bytes, a "late" one preceded by it.
#include <algorithm>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Ranks;

constexpr int kStride = 3;  // ints per element
constexpr int kGap = -77;

enum class Way { blocking, nonblocking, persistent };

/// A communicator, and how its collectives are called.
struct On : Ranks {
    On(MPI_Comm of, Way how) : Ranks(of), way(how) {}

    template <class Blocking, class Nonblocking, class Init, class... Arguments>
    void call(Blocking blocking, Nonblocking nonblocking, Init init, Arguments... arguments) const {
        MPI_Request request = MPI_REQUEST_NULL;
        if (way == Way::blocking) {
            blocking(arguments..., comm);
        } else if (way == Way::nonblocking) {
            nonblocking(arguments..., comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            init(arguments..., comm, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
    }
    Way way;
};

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

void broadcast(const On& on, const Types& types, int count) {
    const int root = on.size - 1;
    auto memory = types.late.memory(on.rank == root ? values(7, count) : zeros(count));
    on.call(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, memory.data(), count, types.late.type, root);
    check(memory == types.late.memory(values(7, count)), "bcast");
}

void gather_and_scatter(const On& on, const Types& types, int count) {
    const int root = on.size / 2;
    const auto out = types.first.memory(values(on.rank, count));
    auto all = types.late.memory(zeros(count * on.size));
    on.call(MPI_Gather, MPI_Igather, MPI_Gather_init, out.data(), count, types.first.type, all.data(), count,
            types.late.type, root);
    const bool at_root = on.rank == root;
    if (at_root) check(all == types.late.memory(of_all(on.size, count)), "gather");
    auto part = types.first.memory(zeros(count));
    on.call(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, all.data(), count, types.late.type, part.data(),
            count, types.first.type, root);
    check(part == out, "scatter");
    if (at_root) {
        on.call(MPI_Gather, MPI_Igather, MPI_Gather_init, MPI_IN_PLACE, 0, MPI_INT, all.data(), count,
                types.late.type, root);
        check(all == types.late.memory(of_all(on.size, count)), "gather in place");
    } else {
        on.call(MPI_Gather, MPI_Igather, MPI_Gather_init, out.data(), count, types.first.type, nullptr, 0,
                MPI_INT, root);
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

void uneven_blocks(const On& on, const Types& types, int count) {
    const Uneven blocks(on.size, count);
    const int own = count + on.rank;
    const auto out = types.first.memory(values(on.rank, own));
    const auto expected = types.late.memory(blocks.expected());
    auto all = types.late.memory(zeros(blocks.total));
    on.call(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, out.data(), own, types.first.type, all.data(),
            blocks.counts.data(), blocks.places.data(), types.late.type, 0);
    if (on.rank == 0) check(all == expected, "gatherv");
    auto part = types.first.memory(zeros(own));
    on.call(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, all.data(), blocks.counts.data(),
            blocks.places.data(), types.late.type, part.data(), own, types.first.type, 0);
    check(part == out, "scatterv");
    all = types.late.memory(zeros(blocks.total));
    on.call(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, out.data(), own, types.first.type,
            all.data(), blocks.counts.data(), blocks.places.data(), types.late.type);
    check(all == expected, "allgatherv");
    on.call(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, MPI_IN_PLACE, 0, MPI_INT, all.data(),
            blocks.counts.data(), blocks.places.data(), types.late.type);
    check(all == expected, "allgatherv in place");
}

void everybody(const On& on, const Types& types, int count) {
    const auto out = types.first.memory(values(on.rank, count));
    auto all = types.late.memory(zeros(count * on.size));
    on.call(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, out.data(), count, types.first.type,
            all.data(), count, types.late.type);
    check(all == types.late.memory(of_all(on.size, count)), "allgather");
    on.call(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, MPI_IN_PLACE, 0, MPI_INT, all.data(), count,
            types.late.type);
    check(all == types.late.memory(of_all(on.size, count)), "allgather in place");

    const auto given = types.first.memory(values(on.rank, count * on.size));
    const auto expected = types.late.memory(of_all(on.size, count, on.rank * count));
    all = types.late.memory(zeros(count * on.size));
    on.call(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, given.data(), count, types.first.type, all.data(),
            count, types.late.type);
    check(all == expected, "alltoall");
    all = types.late.memory(values(on.rank, count * on.size));
    on.call(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, MPI_IN_PLACE, 0, MPI_INT, all.data(), count,
            types.late.type);
    check(all == expected, "alltoall in place");

    std::vector<int> counts(static_cast<std::size_t>(on.size), count);
    std::vector<int> places;
    for (int rank = 0; rank < on.size; ++rank) places.push_back(rank * count);
    all = types.late.memory(zeros(count * on.size));
    on.call(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, given.data(), counts.data(), places.data(),
            types.first.type, all.data(), counts.data(), places.data(), types.late.type);
    check(all == expected, "alltoallv");
    all = types.late.memory(values(on.rank, count * on.size));
    on.call(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, MPI_IN_PLACE, nullptr, nullptr, MPI_INT,
            all.data(), counts.data(), places.data(), types.late.type);
    check(all == expected, "alltoallv in place");
    auto plain = zeros(count * on.size);
    on.call(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, given.data(), counts.data(), places.data(),
            types.first.type, plain.data(), counts.data(), places.data(), MPI_INT);
    check(plain == of_all(on.size, count, on.rank * count), "alltoallv to plain ints");
}

/// A datatype for each block: the odd ranks' data have their gaps elsewhere.
void blocks_of_types(const On& on, const Types& types, int count) {
    const auto ranks = static_cast<std::size_t>(on.size);
    const std::vector<int> counts(ranks, count);
    std::vector<int> places;
    std::vector<MPI_Datatype> in_types;
    auto expected = zeros(0);
    for (int rank = 0; rank < on.size; ++rank) {
        const Spaced& spaced = rank % 2 == 0 ? types.first : types.late;
        const auto block = spaced.memory(values(rank, count, on.rank * count));
        places.push_back(static_cast<int>(expected.size() * sizeof(int)));
        in_types.push_back(spaced.type);
        expected.insert(expected.end(), block.begin(), block.end());
    }
    const std::vector<MPI_Datatype> out_types(ranks, types.late.type);
    const auto given = types.late.memory(values(on.rank, count * on.size));
    std::vector<int> all = expected;
    for (int& value : all)
        if (value != kGap) value = 0;
    on.call(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, given.data(), counts.data(), places.data(),
            out_types.data(), all.data(), counts.data(), places.data(), in_types.data());
    check(all == expected, "alltoallw");
}

/// In a row of ranks, whose ends have one neighbour less.
void neighbors(const On& on, const Types& types, int count) {
    const int periodic = 0;
    MPI_Comm row = MPI_COMM_NULL;
    MPI_Cart_create(on.comm, 1, &on.size, &periodic, 0, &row);
    const On line(row, on.way);
    const auto out = types.first.memory(values(line.rank, count));
    const auto untouched = values(9, count);
    auto in = types.late.memory(zeros(0));
    auto expected = in;
    for (const int peer : {line.rank - 1, line.rank + 1}) {
        const bool there = peer >= 0 && peer < line.size;
        const auto before = types.late.memory(untouched);
        const auto after = there ? types.late.memory(values(peer, count)) : before;
        in.insert(in.end(), before.begin(), before.end());
        expected.insert(expected.end(), after.begin(), after.end());
    }
    line.call(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, out.data(), count,
              types.first.type, in.data(), count, types.late.type);
    check(in == expected, "neighbor_allgather");
    MPI_Comm_free(&row);
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

void reductions(const On& on, const Types& types, int count) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add<2>, 1, &op);
    const Spaced& late = types.late;
    const auto out = late.memory(values(on.rank, count));
    auto in = late.memory(zeros(count));
    on.call(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, out.data(), in.data(), count, late.type, op, 0);
    if (on.rank == 0) check(in == late.memory(sums(on.size, count)), "reduce");
    in = late.memory(zeros(count));
    on.call(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, out.data(), in.data(), count, late.type, op);
    check(in == late.memory(sums(on.size, count)), "allreduce");
    in = out;
    on.call(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_IN_PLACE, in.data(), count, late.type, op);
    check(in == late.memory(sums(on.size, count)), "allreduce in place");
    on.call(MPI_Scan, MPI_Iscan, MPI_Scan_init, out.data(), in.data(), count, late.type, op);
    check(in == late.memory(sums(on.rank + 1, count)), "scan");
    on.call(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, out.data(), in.data(), count, late.type, op);
    if (on.rank > 0) check(in == late.memory(sums(on.rank, count)), "exscan");

    const auto many = late.memory(values(on.rank, count * on.size));
    in = late.memory(zeros(count));
    on.call(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, many.data(),
            in.data(), count, late.type, op);
    check(in == late.memory(sums(on.size, count, on.rank * count)), "reduce_scatter_block");
    MPI_Op_free(&op);
}

/// Elements longer than their extent cannot lie one extent apart while they are reduced.
void add_overlapping(void* in, void* inout, int* length, MPI_Datatype*) {
    check(*length == 1, "one at a time");
    for (const int place : {0, 4}) static_cast<int*>(inout)[place] += static_cast<const int*>(in)[place];
}

void overlapping_reduction(const On& on) {
    const int places[] = {0, 4};
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &apart);
    MPI_Type_create_resized(apart, 0, sizeof(int), &type);  // elements interleave: ints 0 and 4, 1 and 5, …
    MPI_Type_commit(&type);
    MPI_Type_free(&apart);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add_overlapping, 1, &op);
    std::vector<int> ints = values(on.rank, 8);
    on.call(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_IN_PLACE, ints.data(), 4, type, op);
    check(ints == sums(on.size, 8), "interleaved elements");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/// MPI_DOUBLE_INT has padding, and can be reduced as well as moved.
void pairs(const On& on) {
    struct Pair {
        double value;
        int index;
    };
    const Pair own{static_cast<double>((on.rank + 1) % on.size), on.rank};
    Pair least{};
    on.call(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, &own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC);
    check(least.value == 0 && least.index == on.size - 1, "minloc");
    std::vector<Pair> all(static_cast<std::size_t>(on.size));
    on.call(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, &own, 1, MPI_DOUBLE_INT, all.data(), 1,
            MPI_DOUBLE_INT);
    for (int rank = 0; rank < on.size; ++rank)
        check(all[static_cast<std::size_t>(rank)].index == rank, "allgather of pairs");
}

/// One request, started again and again with other data; type and operation are gone meanwhile.
void repeated(const On& on) {
    constexpr int element_count = 300;
    const Spaced memory(2);
    MPI_Request requests[2];
    auto all = memory.memory(zeros(element_count * on.size));
    auto own = memory.memory(zeros(element_count));
    auto sum = memory.memory(zeros(element_count));
    {
        const Spaced late(2);
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(add<2>, 1, &op);
        MPI_Allgather_init(own.data(), element_count, late.type, all.data(), element_count, late.type,
                           on.comm, MPI_INFO_NULL, &requests[0]);
        MPI_Allreduce_init(own.data(), sum.data(), element_count, late.type, op, on.comm, MPI_INFO_NULL,
                           &requests[1]);
        MPI_Op_free(&op);
    }
    for (int round = 0; round < 3; ++round) {
        const auto next = memory.memory(values(on.rank, element_count, round));
        std::copy(next.begin(), next.end(), own.begin());
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(all == memory.memory(of_all(on.size, element_count, round)), "persistent allgather");
        check(sum == memory.memory(sums(on.size, element_count, round)), "persistent allreduce");
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const rb2::test::ReversedWorld reversed(mpi);
    const Types types;
    for (const Way way : {Way::blocking, Way::nonblocking, Way::persistent}) {
        const On on(way == Way::persistent ? MPI_COMM_WORLD : reversed.comm, way);
        for (const int count : {0, 1, 5, 3000}) {
            broadcast(on, types, count);
            gather_and_scatter(on, types, count);
            uneven_blocks(on, types, count);
            everybody(on, types, count);
            blocks_of_types(on, types, count);
            neighbors(on, types, count);
            reductions(on, types, count);
        }
        overlapping_reduction(on);
        pairs(on);
        repeated(on);
    }
}
