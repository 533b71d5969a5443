// Collectives of ranks that share CPUs, which meet in memory: with whatever else is under way there. The
// ranks keep to two CPUs, so that they share them on any machine.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::Ranks;

void keep_to_two_cpus() {
    cpu_set_t all;
    check(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
    cpu_set_t two;
    CPU_ZERO(&two);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
    check(sched_setaffinity(0, sizeof two, &two) == 0, "sched_setaffinity");
}

/// Element i of rank r's values in call `call`.
long element(int call, int rank, int i) { return 100'000L * call + 1000L * rank + i % 997; }

void sum(MPI_Comm comm, int call, int count) {
    const Ranks own(comm);
    std::vector<long> values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element(call, own.rank, i);
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_LONG, MPI_SUM, comm);
    for (int i = 0; i < count; ++i) {
        long expected = 0;
        for (int rank = 0; rank < own.size; ++rank) expected += element(call, rank, i);
        check(values[static_cast<std::size_t>(i)] == expected, "a sum");
    }
}

void sum_at_root(MPI_Comm comm, int call, int count) {
    const Ranks own(comm);
    const int root = call % own.size;
    std::vector<long> values(static_cast<std::size_t>(count), own.rank + 1);
    std::vector<long> sums(own.rank == root ? values.size() : 0);
    MPI_Reduce(values.data(), sums.data(), count, MPI_LONG, MPI_SUM, root, comm);
    for (const long sum : sums) check(sum == own.size * (own.size + 1L) / 2, "a sum at the root");
}

void gather_all(MPI_Comm comm, int call, int count) {
    const Ranks own(comm);
    std::vector<long> all(static_cast<std::size_t>(count * own.size), -1);
    for (int i = 0; i < count; ++i)
        all[static_cast<std::size_t>(own.rank * count + i)] = element(call, own.rank, i);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_LONG, comm);
    for (int rank = 0; rank < own.size; ++rank)
        for (int i = 0; i < count; ++i)
            check(all[static_cast<std::size_t>(rank * count + i)] == element(call, rank, i),
                  "a block of all");
}

/// Element i for rank s from rank r: that of call r and rank s.
void exchange_all(MPI_Comm comm, int count) {
    const Ranks own(comm);
    std::vector<long> blocks(static_cast<std::size_t>(count * own.size));
    for (int rank = 0; rank < own.size; ++rank)
        for (int i = 0; i < count; ++i)
            blocks[static_cast<std::size_t>(rank * count + i)] = element(own.rank, rank, i);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks.data(), count, MPI_LONG, comm);
    for (int rank = 0; rank < own.size; ++rank)
        for (int i = 0; i < count; ++i)
            check(blocks[static_cast<std::size_t>(rank * count + i)] == element(rank, own.rank, i),
                  "a block from each");
}

/// Sends no message, as rb2run --stats tells: communicators have places whichever way they are made.
void without_messages(const Mpi& mpi) {
    std::array<MPI_Comm, 20> comms{};
    for (std::size_t i = 0; i < comms.size(); ++i) {
        if (i % 2 == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi.rank, &comms[i]);
        MPI_Barrier(comms[i]);
        sum(comms[i], 1, 1000);
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// More than have a place in memory.
void many_communicators() {
    std::array<MPI_Comm, 40> comms{};
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int round = 0; round < 3; ++round) {
        for (MPI_Comm comm : comms) {
            sum(comm, round, 1);
            MPI_Barrier(comm);
        }
        std::reverse(comms.begin(), comms.end());
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Ranks that are ahead in one communicator and behind in another.
void overlapping_communicators(const Mpi& mpi) {
    MPI_Comm halves = MPI_COMM_NULL;
    MPI_Comm pairs = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, mpi.rank % 2, mpi.rank, &halves);
    MPI_Comm_split(MPI_COMM_WORLD, mpi.rank / 2, -mpi.rank, &pairs);
    for (int round = 0; round < 300; ++round) {
        sum(round % 3 == mpi.rank % 2 ? halves : pairs, round, 1 + round);
        sum(round % 3 == mpi.rank % 2 ? pairs : halves, round, 1 + round);
        if (round % 10 == 0) sum(MPI_COMM_WORLD, round, 10 * round);
    }
    MPI_Comm_free(&halves);
    MPI_Comm_free(&pairs);
}

/// Around where data have a place on the board, in one bank, and in several.
void sizes() {
    for (const int count : {0, 1, 125, 126, 127, 1365, 5000, 8191, 8192, 8193, 16'385, 100'000})
        for (int call = 0; call < 3; ++call) {
            sum(MPI_COMM_WORLD, call, count);
            sum_at_root(MPI_COMM_WORLD, call, count);
            gather_all(MPI_COMM_WORLD, call, count);
            exchange_all(MPI_COMM_WORLD, count);
        }
}

/// The last rank reads the first one's banks late, so that it has none for what follows.
void taken_banks(const Mpi& mpi) {
    for (int round = 0; round < 8; ++round) {
        std::array<std::vector<char>, 2> data;
        for (std::vector<char>& one : data) {
            one.assign(60'000, static_cast<char>(mpi.rank == 0 ? round + 1 : 0));
            if (mpi.rank == mpi.size - 1) usleep(10'000);
            MPI_Bcast(one.data(), static_cast<int>(one.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        }
        if (round % 4 == 0) sum(MPI_COMM_WORLD, round, 20'000);
        if (round % 4 == 1) sum_at_root(MPI_COMM_WORLD, round, 20'000);
        if (round % 4 == 2) gather_all(MPI_COMM_WORLD, round, 20'000);
        if (round % 4 == 3) exchange_all(MPI_COMM_WORLD, 1'000);
        for (const std::vector<char>& one : data)
            check(one == std::vector<char>(one.size(), static_cast<char>(round + 1)), "a broadcast");
    }
}

/// An element longer than a bank.
void long_elements(const Mpi& mpi) {
    struct Long {
        std::array<long, 10'000> values;
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(10'000, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Op add = MPI_OP_NULL;
    const auto add_long = [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
            for (std::size_t k = 0; k < 10'000; ++k)
                static_cast<Long*>(inout)[i].values[k] += static_cast<const Long*>(in)[i].values[k];
    };
    MPI_Op_create(add_long, 1, &add);
    std::vector<Long> two(2);
    for (Long& one : two) one.values.fill(mpi.rank);
    MPI_Allreduce(MPI_IN_PLACE, two.data(), 2, type, add, MPI_COMM_WORLD);
    for (const Long& one : two)
        check(std::all_of(one.values.begin(), one.values.end(),
                          [&](long value) { return value == mpi.size * (mpi.size - 1) / 2; }),
              "a sum of long elements");
    MPI_Op_free(&add);
    MPI_Type_free(&type);
}

/// The others are asleep when the late one comes.
void late_ranks(const Mpi& mpi) {
    for (int late = 0; late < mpi.size; ++late) {
        if (mpi.rank == late) usleep(10'000);
        MPI_Barrier(MPI_COMM_WORLD);
        if (mpi.rank == late) usleep(10'000);
        sum(MPI_COMM_WORLD, late, 10);
    }
}

/// Nobody leaves before all have come: what they sent before is there.
void barriers(const Mpi& mpi) {
    for (int round = 0; round < 200; ++round) {
        const int to = (mpi.rank + 1) % mpi.size;
        const int from = (mpi.rank + mpi.size - 1) % mpi.size;
        MPI_Send(&round, 1, MPI_INT, to, round, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        int there = 0;
        MPI_Iprobe(from, round, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        check(there != 0, "a message sent before the barrier is there after it");
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value == round, "its content");
    }
}

/// An error of the program that all are told of.
void different_counts(const Mpi& mpi) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (const int longer : {2, 200, 9000}) {
        std::vector<long> values(static_cast<std::size_t>(longer));
        const int count = mpi.rank == 1 ? longer : 1;
        const int error = MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_LONG, MPI_SUM, comm);
        int error_class = MPI_SUCCESS;
        MPI_Error_class(error, &error_class);
        check(error_class == MPI_ERR_TRUNCATE, "different counts are an error");
    }
    sum(comm, 1, 1000);
    MPI_Comm_free(&comm);
}

}  // namespace

/// "quiet": only what sends no message.
int main(int argc, char** argv) {
    keep_to_two_cpus();
    const Mpi mpi;
    if (argc > 1 && std::string_view(argv[1]) == "quiet") {
        without_messages(mpi);
        return 0;
    }
    barriers(mpi);
    different_counts(mpi);
    sizes();
    many_communicators();
    overlapping_communicators(mpi);
    taken_banks(mpi);
    long_elements(mpi);
    late_ranks(mpi);
}
