// Every collective, at several sizes and with every root, against a serial reference.
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using Values = std::vector<long>;

constexpr int kCounts[] = {0, 1, 3, 1000, 50'000};

/// Element i of rank r's contribution.
long element(int rank, int i) { return 1000L * rank + i % 997; }

Values contribution(int rank, int count) {
    Values values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element(rank, i);
    return values;
}

/// All ranks' contributions, one behind the other.
Values all_contributions(int size, int count) {
    Values all;
    for (int rank = 0; rank < size; ++rank) {
        const Values one = contribution(rank, count);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

Values sums(int size, int count) {
    Values total(static_cast<std::size_t>(count), 0);
    for (int rank = 0; rank < size; ++rank)
        for (int i = 0; i < count; ++i) total[static_cast<std::size_t>(i)] += element(rank, i);
    return total;
}

void broadcast(const Mpi& mpi, int count, int root, MPI_Comm comm) {
    Values data = mpi.rank == root ? contribution(root, count) : Values(static_cast<std::size_t>(count), -1);
    MPI_Bcast(data.data(), count, MPI_LONG, root, comm);
    check(data == contribution(root, count), "MPI_Bcast");
}

void reduce(const Mpi& mpi, int count, int root, MPI_Comm comm) {
    const Values mine = contribution(mpi.rank, count);
    Values result(mine.size(), -1);
    MPI_Reduce(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, root, comm);
    check(mpi.rank == root ? result == sums(mpi.size, count) : result == Values(mine.size(), -1),
          "MPI_Reduce");
    Values in_place = mine;
    MPI_Reduce(mpi.rank == root ? MPI_IN_PLACE : in_place.data(), in_place.data(), count, MPI_LONG, MPI_SUM,
               root, comm);
    check(mpi.rank != root || in_place == sums(mpi.size, count), "MPI_Reduce in place");
}

void allreduce(const Mpi& mpi, int count, MPI_Comm comm) {
    const Values mine = contribution(mpi.rank, count);
    Values result(mine.size(), -1);
    MPI_Allreduce(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, comm);
    check(result == sums(mpi.size, count), "MPI_Allreduce");
    result = mine;
    MPI_Allreduce(MPI_IN_PLACE, result.data(), count, MPI_LONG, MPI_MAX, comm);
    check(result == contribution(mpi.size - 1, count), "MPI_Allreduce in place");
}

void gather(const Mpi& mpi, int count, int root, MPI_Comm comm) {
    const Values mine = contribution(mpi.rank, count);
    Values all(mine.size() * static_cast<std::size_t>(mpi.size), -1);
    MPI_Gather(mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG, root, comm);
    check(mpi.rank != root || all == all_contributions(mpi.size, count), "MPI_Gather");
    const auto part =
        std::copy(mine.begin(), mine.end(), all.begin() + static_cast<long>(mine.size()) * mpi.rank);
    check(part <= all.end(), "own part");
    MPI_Gather(mpi.rank == root ? MPI_IN_PLACE : mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG,
               root, comm);
    check(mpi.rank != root || all == all_contributions(mpi.size, count), "MPI_Gather in place");
}

/// Rank r gives r elements, placed in the opposite order with gaps of one.
void gatherv(const Mpi& mpi, int root, MPI_Comm comm) {
    const Values mine = contribution(mpi.rank, mpi.rank);
    std::vector<int> counts;
    std::vector<int> places(static_cast<std::size_t>(mpi.size));
    int end = 0;
    for (int rank = 0; rank < mpi.size; ++rank) counts.push_back(rank);
    for (int rank = mpi.size - 1; rank >= 0; --rank) {
        places[static_cast<std::size_t>(rank)] = end;
        end += rank + 1;
    }
    Values all(static_cast<std::size_t>(end), -1);
    MPI_Gatherv(mine.data(), mpi.rank, MPI_LONG, all.data(), counts.data(), places.data(), MPI_LONG, root,
                comm);
    if (mpi.rank != root) return;
    Values expected(all.size(), -1);
    for (int rank = 0; rank < mpi.size; ++rank)
        for (int i = 0; i < rank; ++i)
            expected[static_cast<std::size_t>(places[static_cast<std::size_t>(rank)] + i)] = element(rank, i);
    check(all == expected, "MPI_Gatherv");
}

void scatter(const Mpi& mpi, int count, int root, MPI_Comm comm) {
    const Values all = all_contributions(mpi.size, count);
    Values mine(static_cast<std::size_t>(count), -1);
    MPI_Scatter(all.data(), count, MPI_LONG, mine.data(), count, MPI_LONG, root, comm);
    check(mine == contribution(mpi.rank, count), "MPI_Scatter");
    Values again(mine.size(), -1);
    MPI_Scatter(all.data(), count, MPI_LONG, mpi.rank == root ? MPI_IN_PLACE : again.data(), count, MPI_LONG,
                root, comm);
    check(mpi.rank == root || again == mine, "MPI_Scatter in place");
}

void allgather(const Mpi& mpi, int count, MPI_Comm comm) {
    const Values mine = contribution(mpi.rank, count);
    Values all(mine.size() * static_cast<std::size_t>(mpi.size), -1);
    MPI_Allgather(mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG, comm);
    check(all == all_contributions(mpi.size, count), "MPI_Allgather");
    std::fill(all.begin(), all.end(), -1);
    std::copy(mine.begin(), mine.end(), all.begin() + static_cast<long>(mine.size()) * mpi.rank);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_LONG, comm);
    check(all == all_contributions(mpi.size, count), "MPI_Allgather in place");
}

/// Block r of rank s holds s * size + r.
void alltoall(const Mpi& mpi, int count, MPI_Comm comm) {
    Values out;
    Values expected;
    for (int peer = 0; peer < mpi.size; ++peer) {
        out.insert(out.end(), static_cast<std::size_t>(count), mpi.rank * mpi.size + peer);
        expected.insert(expected.end(), static_cast<std::size_t>(count), peer * mpi.size + mpi.rank);
    }
    Values in(out.size(), -1);
    MPI_Alltoall(out.data(), count, MPI_LONG, in.data(), count, MPI_LONG, comm);
    check(in == expected, "MPI_Alltoall");
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), count, MPI_LONG, comm);
    check(out == expected, "MPI_Alltoall in place");
}

/// Nobody leaves a barrier before everybody has entered it: a message sent before is there after.
void barrier(const Mpi& mpi, MPI_Comm comm) {
    for (int late = 0; late < mpi.size; ++late) {
        std::vector<MPI_Request> sends;
        if (mpi.rank == late)
            for (int peer = 0; peer < mpi.size; ++peer)
                if (peer != late) MPI_Isend(&late, 1, MPI_INT, peer, 50, comm, &sends.emplace_back());
        MPI_Barrier(comm);
        MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
        if (mpi.rank == late) continue;
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, late, 50, comm, MPI_STATUS_IGNORE);
        check(value == late, "MPI_Barrier");
    }
}

void all_of_them(const Mpi& mpi, MPI_Comm comm) {
    barrier(mpi, comm);
    for (const int count : kCounts) {
        allreduce(mpi, count, comm);
        allgather(mpi, count, comm);
        alltoall(mpi, count, comm);
        for (int root = 0; root < mpi.size; ++root) {
            broadcast(mpi, count, root, comm);
            reduce(mpi, count, root, comm);
            gather(mpi, count, root, comm);
            scatter(mpi, count, root, comm);
        }
    }
    for (int root = 0; root < mpi.size; ++root) gatherv(mpi, root, comm);
}

/// Collectives one after the other without a pause do not take each other's messages.
void back_to_back(const Mpi& mpi) {
    for (int i = 0; i < 500; ++i) {
        int value = mpi.rank == i % mpi.size ? i : -1;
        MPI_Bcast(&value, 1, MPI_INT, i % mpi.size, MPI_COMM_WORLD);
        check(value == i, "consecutive broadcasts");
        int sum = 0;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == i * mpi.size, "consecutive reductions");
    }
}

/// A root that broadcasts again before the others have read the last: lengths around those that go through
/// shared memory where ranks share CPUs, and a late reader.
void broadcasts_in_a_row(const Mpi& mpi) {
    for (const std::size_t bytes : {255, 256, 8192, 65536, 65537, 131073}) {
        for (int i = 0; i < 40; ++i) {
            const int root = i / 10 % mpi.size;
            const auto fill = static_cast<char>(i + 1);
            std::vector<char> data(bytes, mpi.rank == root ? fill : '\0');
            if (i % 10 == 0 && mpi.rank == (root + 1) % mpi.size) usleep(1000);
            MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_CHAR, root, MPI_COMM_WORLD);
            check(std::count(data.begin(), data.end(), fill) == static_cast<std::ptrdiff_t>(bytes),
                  "broadcasts one after the other");
        }
    }
}

}  // namespace

int main() {
    const Mpi mpi;
    all_of_them(mpi, MPI_COMM_WORLD);
    back_to_back(mpi);
    broadcasts_in_a_row(mpi);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    barrier(mpi, copy);
    MPI_Comm_free(&copy);
    return 0;
}
