// First contacts of all kinds, for jobs whose rings are made on demand, or that run over tcp. contacts CASE:
// each case begins with ranks that have never met.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::Mpi;
using rb2::test::pattern;
using Bytes = std::vector<unsigned char>;

constexpr std::size_t kSizes[] = {8, 100'000, 0, 3000};

/// What `from` sends to `to`.
Bytes message(int from, int to) {
    return pattern(kSizes[static_cast<std::size_t>(from + to) % std::size(kSizes)],
                   static_cast<unsigned>(1000 * from + to));
}

void send(const Bytes& data, int to) {
    MPI_Send(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

void check_receive(int from, const Mpi& mpi) {
    Bytes in(100'000);
    MPI_Status status;
    MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, from, 1, MPI_COMM_WORLD, &status);
    in.resize(static_cast<std::size_t>(count_of(status, MPI_BYTE)));
    check(in == message(status.MPI_SOURCE, mpi.rank), "message of a first contact");
}

/// One rank hears from all others while it waits for anybody; the last one lets it fall asleep before.
void any_source(const Mpi& mpi) {
    if (mpi.rank == 0) {
        for (int peer = 1; peer < mpi.size; ++peer) check_receive(MPI_ANY_SOURCE, mpi);
        for (int peer = 1; peer < mpi.size; ++peer) send(message(0, peer), peer);
        return;
    }
    if (mpi.rank == mpi.size - 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    send(message(mpi.rank, 0), 0);
    check_receive(0, mpi);
}

/// Every pair meets, both sides at the same time.
void both_at_once(const Mpi& mpi) {
    for (int distance = 1; distance < mpi.size; ++distance) {
        const int to = (mpi.rank + distance) % mpi.size;
        const int from = (mpi.rank - distance + mpi.size) % mpi.size;
        const Bytes out = message(mpi.rank, to);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
        check_receive(from, mpi);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/// All at once: every rank has begun a message to every other one before it receives the first.
void all_at_once(const Mpi& mpi) {
    std::vector<Bytes> out;
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < mpi.size; ++peer) out.push_back(message(mpi.rank, peer));
    for (int peer = 0; peer < mpi.size; ++peer) {
        if (peer == mpi.rank) continue;
        const Bytes& data = out[static_cast<std::size_t>(peer)];
        MPI_Issend(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, 1, MPI_COMM_WORLD,
                   &requests.emplace_back(MPI_REQUEST_NULL));
    }
    for (int peer = 1; peer < mpi.size; ++peer) check_receive(MPI_ANY_SOURCE, mpi);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// A stranger's message is found by a probe, with and without waiting.
void probes(const Mpi& mpi) {
    for (const bool waits : {false, true}) {
        const int distance = waits ? 2 : 1;
        const int to = (mpi.rank + distance) % mpi.size;
        const int from = (mpi.rank - distance + mpi.size) % mpi.size;
        const Bytes out = message(mpi.rank, to);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
        MPI_Status status;
        if (waits) MPI_Probe(from, 1, MPI_COMM_WORLD, &status);
        for (int found = waits ? 1 : 0; found == 0;)
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
        check(count_of(status, MPI_BYTE) == static_cast<int>(message(status.MPI_SOURCE, mpi.rank).size()),
              "size of the probed message");
        check_receive(status.MPI_SOURCE, mpi);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);  // the next probe finds only the next message
    }
}

/// Ranks whose first contact is the last thing they do: rank 0 looks only when they have finalized.
void at_the_end(const Mpi& mpi) {
    const std::int64_t value = mpi.rank;
    if (mpi.rank != 0) {
        MPI_Send(&value, 1, MPI_INT64_T, 0, 2, MPI_COMM_WORLD);
        return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::int64_t sum = 0;
    for (int peer = 1; peer < mpi.size; ++peer) {
        std::int64_t in = 0;
        MPI_Recv(&in, 1, MPI_INT64_T, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += in;
    }
    check(sum == std::int64_t{mpi.size} * (mpi.size - 1) / 2, "each rank heard once");
}

void collectives(const Mpi& mpi) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<std::int64_t> out(static_cast<std::size_t>(mpi.size));
    std::vector<std::int64_t> in(out.size());
    for (int peer = 0; peer < mpi.size; ++peer)
        out[static_cast<std::size_t>(peer)] = mpi.rank * 10'000L + peer;
    MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    for (int peer = 0; peer < mpi.size; ++peer)
        check(in[static_cast<std::size_t>(peer)] == peer * 10'000L + mpi.rank, "all-to-all");
    std::int64_t sum = 0;
    const std::int64_t own = mpi.rank;
    MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(sum == std::int64_t{mpi.size} * (mpi.size - 1) / 2, "allreduce");
}

/// Of this process, to anybody.
int connections() {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) {
        sockaddr_storage peer{};
        socklen_t bytes = sizeof peer;
        if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0) continue;
        if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) ++count;
    }
    return count;
}

/// Makes progress until this rank has so many connections more than before: two ranks that called each other
/// at once have two for a moment.
void expect_connections(int before, int more) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (connections() != before + more && std::chrono::steady_clock::now() < end) {
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const int now = connections() - before;
    if (now != more) std::fprintf(stderr, "%d connections, expected %d\n", now, more);
    check(now == more, "number of connections");
}

/// A token goes round. After two laps all ranks have begun them.
void pass_token(const Mpi& mpi, int laps) {
    const int right = (mpi.rank + 1) % mpi.size;
    const int left = (mpi.rank - 1 + mpi.size) % mpi.size;
    for (int lap = 0; lap < laps; ++lap) {
        std::int64_t token = 0;
        if (mpi.rank != 0) MPI_Recv(&token, 1, MPI_INT64_T, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const std::int64_t next = token + 1;
        MPI_Send(&next, 1, MPI_INT64_T, right, 1, MPI_COMM_WORLD);
        if (mpi.rank == 0) MPI_Recv(&token, 1, MPI_INT64_T, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(token == (mpi.rank == 0 ? mpi.size : mpi.rank), "token");
    }
}

/// For jobs over tcp: who only talks to its neighbours in a ring is connected with nobody else.
void ring(const Mpi& mpi) {
    const int before = connections();
    pass_token(mpi, 10);
    expect_connections(before, mpi.size == 2 ? 1 : 2);
    pass_token(mpi, 2);  // all have counted
    both_at_once(mpi);
    expect_connections(before, mpi.size - 1);
}

/// Everybody with everybody.
[[noreturn]] void exchange_without_end(const Mpi& mpi, bool last_dies) {
    for (int round = 1;; ++round) {
        const std::int64_t value = round;
        for (int distance = 1; distance < mpi.size; ++distance) {
            if (last_dies && mpi.rank == mpi.size - 1 && distance == mpi.size / 2) ::raise(SIGKILL);
            std::int64_t in = 0;
            MPI_Sendrecv(&value, 1, MPI_INT64_T, (mpi.rank + distance) % mpi.size, round, &in, 1, MPI_INT64_T,
                         (mpi.rank - distance + mpi.size) % mpi.size, round, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        if (mpi.rank == 0 && round == 1) {
            std::puts("exchanging");
            std::fflush(stdout);
        }
    }
}

/// The last rank dies while the others make contacts, some with it: the job must end.
void killed(const Mpi& mpi) { exchange_without_end(mpi, true); }

/// To be ended from outside.
void endless(const Mpi& mpi) { exchange_without_end(mpi, false); }

const std::map<std::string, void (*)(const Mpi&)> kCases = {{"any_source", any_source},
                                                            {"both_at_once", both_at_once},
                                                            {"all_at_once", all_at_once},
                                                            {"probes", probes},
                                                            {"at_the_end", at_the_end},
                                                            {"collectives", collectives},
                                                            {"ring", ring},
                                                            {"killed", killed},
                                                            {"endless", endless}};

}  // namespace

int main(int argc, char** argv) {
    const Mpi mpi;
    const auto found = kCases.find(argc > 1 ? argv[1] : "");
    check(found != kCases.end(), "usage: contacts CASE");
    found->second(mpi);
    return 0;
}
