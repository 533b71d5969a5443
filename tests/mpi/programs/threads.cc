// MPI_THREAD_MULTIPLE: more threads than CPUs, each kind of call. Every part ends only when all threads got
// what they wait for. Ranks are paired: 0 and 1, 2 and 3, ...
#include "tests/mpi/programs/threads.hpp"

#include <atomic>
#include <chrono>
#include <numeric>

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::in_threads;
using rb2::test::pattern;
using rb2::test::ThreadedMpi;
using namespace std::chrono_literals;

constexpr int kThreads = 6;
constexpr int kRounds = 200;

struct Pair {
    int peer;
    bool first;
    explicit Pair(const ThreadedMpi& mpi) : peer(mpi.rank ^ 1), first(mpi.rank % 2 == 0) {}
};

void send_int(int value, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    MPI_Send(&value, 1, MPI_INT, to, tag, comm);
}

int receive_int(int from, int tag, MPI_Comm comm = MPI_COMM_WORLD, MPI_Status* status = MPI_STATUS_IGNORE) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, from, tag, comm, status);
    return value;
}

void levels() {
    int level = -1;
    int main_thread = -1;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    check(level == MPI_THREAD_MULTIPLE && main_thread == 1, "level and main thread");
    in_threads(2, [](int) {
        int flag = -1;
        MPI_Is_thread_main(&flag);
        check(flag == 0, "another thread is not the main one");
    });
}

void ping_pong(const Pair& pair, int tag, MPI_Comm comm, std::size_t bytes) {
    const auto expected = pattern(bytes, static_cast<unsigned>(tag) + 1);
    std::vector<unsigned char> buffer(bytes);
    const int count = static_cast<int>(bytes);
    for (int i = 0; i < kRounds; ++i) {
        if (pair.first) MPI_Send(expected.data(), count, MPI_BYTE, pair.peer, tag, comm);
        MPI_Recv(buffer.data(), count, MPI_BYTE, pair.peer, tag, comm, MPI_STATUS_IGNORE);
        check(buffer == expected, "a thread's own message");
        if (!pair.first) MPI_Send(buffer.data(), count, MPI_BYTE, pair.peer, tag, comm);
    }
}

void ping_pongs_by_tag(const Pair& pair) {
    constexpr std::size_t sizes[] = {8, 100, 5'000, 20'000, 100'000, 0};
    in_threads(kThreads, [&](int thread) { ping_pong(pair, thread, MPI_COMM_WORLD, sizes[thread]); });
}

/// All threads of one side receive with the same tag; one thread of the other side asks them all.
void answer_one_asker(const Pair& pair) {
    if (pair.first) {
        for (int i = 0; i < kThreads * kRounds; ++i) {
            send_int(i, pair.peer, 1);
            check(receive_int(pair.peer, 2) == i + 1, "the answer to what was asked");
        }
        return;
    }
    in_threads(kThreads, [&](int) {
        for (int i = 0; i < kRounds; ++i) send_int(receive_int(pair.peer, 1) + 1, pair.peer, 2);
    });
}

/// A communicator for each thread, made by that thread while the others make theirs.
void communicators(const ThreadedMpi& mpi, const Pair& pair) {
    std::vector<MPI_Comm> parents(kThreads);
    for (MPI_Comm& parent : parents) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    in_threads(kThreads, [&](int thread) {
        MPI_Comm& parent = parents[static_cast<std::size_t>(thread)];
        for (int i = 0; i < 10; ++i) {
            MPI_Comm own = MPI_COMM_NULL;
            if (thread % 2 == 0)
                MPI_Comm_dup(parent, &own);
            else
                MPI_Comm_split(parent, 0, mpi.rank, &own);
            // One tag for all threads: only the communicator keeps their messages apart.
            const int value = thread * 1000 + i;
            if (pair.first) send_int(value, pair.peer, 5, own);
            check(receive_int(pair.peer, 5, own) == value, "a message of this communicator");
            if (!pair.first) send_int(value, pair.peer, 5, own);
            int sum = 0;
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own);
            check(sum == value * mpi.size, "a reduction of this communicator");
            MPI_Barrier(own);
            MPI_Comm_free(&own);
        }
        MPI_Comm_free(&parent);
    });
}

/// Every thread takes messages of anybody; in the end each message was taken once.
void any_source(const ThreadedMpi& mpi) {
    constexpr int each = 100;
    const int incoming = mpi.size * each;  // from every rank, the own one included
    std::atomic<int> left{incoming};
    std::atomic<long> sum{0};
    std::jthread sender([&] {
        for (int i = 0; i < each; ++i)
            for (int to = 0; to < mpi.size; ++to) send_int(mpi.rank * each + i, to, 7);
    });
    in_threads(kThreads, [&](int) {
        while (left.fetch_sub(1) > 0) {
            MPI_Status status;
            const int value = receive_int(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            check(value / each == status.MPI_SOURCE, "a message comes from the source it names");
            sum += value;
        }
    });
    const long total = static_cast<long>(incoming) * (incoming - 1) / 2;
    check(sum == total, "every message once");
}

/// Sizes are found by matched probes, so no thread can be given another's message.
void matched_probes(const Pair& pair) {
    if (pair.first) {
        for (int i = 0; i < 300; ++i) {
            const auto bytes = static_cast<std::size_t>(i) * 7919 % 200'000;
            const auto data = pattern(bytes, static_cast<unsigned>(bytes));
            MPI_Send(data.data(), static_cast<int>(bytes), MPI_BYTE, pair.peer, 9, MPI_COMM_WORLD);
        }
        return;
    }
    std::atomic<int> left{300};
    in_threads(kThreads, [&](int thread) {
        while (left.fetch_sub(1) > 0) {
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            int flag = 0;
            if (thread % 2 == 0)
                MPI_Mprobe(pair.peer, 9, MPI_COMM_WORLD, &message, &status);
            else
                while (flag == 0) MPI_Improbe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &message, &status);
            std::vector<unsigned char> data(static_cast<std::size_t>(count_of(status, MPI_BYTE)));
            MPI_Mrecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, &message, MPI_STATUS_IGNORE);
            check(data == pattern(data.size(), static_cast<unsigned>(data.size())), "the probed message");
        }
    });
}

/// One thread waits while another, which never waits, makes all the progress there is.
void progress_by_another(const Pair& pair) {
    std::atomic<bool> stop{false};
    std::jthread tester([&] {
        int flag = 0;
        while (!stop) MPI_Iprobe(pair.peer, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    });
    ping_pong(pair, 11, MPI_COMM_WORLD, 64);
    ping_pong(pair, 11, MPI_COMM_WORLD, 30'000);
    stop = true;
}

/// Messages to the own rank, sent when the receivers have long been asleep.
void to_self(const ThreadedMpi& mpi) {
    std::vector<std::jthread> receivers;
    for (int thread = 0; thread < kThreads; ++thread)
        receivers.emplace_back(
            [&, thread] { check(receive_int(mpi.rank, thread) == thread, "message to self"); });
    std::this_thread::sleep_for(20ms);
    for (int thread = kThreads; thread-- > 0;) send_int(thread, mpi.rank, thread);
}

/// Waits for several requests, some of which complete in other threads' calls.
void several_requests(const Pair& pair) {
    in_threads(kThreads, [&](int thread) {
        for (int i = 0; i < kRounds; ++i) {
            int in[4] = {};
            int out[4] = {i, i + 1, i + 2, i + 3};
            MPI_Request requests[8];
            for (int k = 0; k < 4; ++k) {
                const int tag = thread * 4 + k;
                MPI_Irecv(&in[k], 1, MPI_INT, pair.peer, tag, MPI_COMM_WORLD, &requests[k]);
                MPI_Issend(&out[k], 1, MPI_INT, pair.peer, tag, MPI_COMM_WORLD, &requests[4 + k]);
            }
            int index = -1;
            MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
            int count = 0;
            int indices[8];
            MPI_Waitsome(8, requests, &count, indices, MPI_STATUSES_IGNORE);
            MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
            for (int k = 0; k < 4; ++k) check(in[k] == i + k, "received by one of several requests");
        }
    });
}

}  // namespace

int main() {
    const ThreadedMpi mpi;
    const Pair pair(mpi);
    levels();
    ping_pongs_by_tag(pair);
    answer_one_asker(pair);
    communicators(mpi, pair);
    any_source(mpi);
    MPI_Barrier(MPI_COMM_WORLD);
    matched_probes(pair);
    progress_by_another(pair);
    to_self(mpi);
    several_requests(pair);
}
