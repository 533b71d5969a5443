// What users of other runtimes have suffered from (docs/known-troubles.md). troubles CASE.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::Mpi;
using rb2::test::pattern;
using namespace std::chrono_literals;

void send_long(long value, int to, int tag) { MPI_Send(&value, 1, MPI_LONG, to, tag, MPI_COMM_WORLD); }

long receive_long(int from, int tag) {
    long value = -1;
    MPI_Recv(&value, 1, MPI_LONG, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

// --- Receives of anything from anybody, some of them cancelled, over two fabrics at once
// ------------------------------

constexpr int kTagCount = 7;
constexpr int kMostWords = 5000;

/// Mostly short, now and then longer than a record.
int words_of(int message) { return message % 50 == 0 ? kMostWords - message % 1000 : 1 + message % 20; }

void send_numbered(int messages) {
    std::vector<int> words(kMostWords);
    for (int message = 0; message < messages; ++message) {
        words.front() = words[static_cast<std::size_t>(words_of(message)) - 1] = message;
        MPI_Send(words.data(), words_of(message), MPI_INT, 0, message % kTagCount, MPI_COMM_WORLD);
    }
}

struct Posted {
    std::vector<int> words = std::vector<int>(kMostWords);
    MPI_Request request = MPI_REQUEST_NULL;
};

/// The message that came is the next of its source, and the status says so.
void check_next(const Posted& posted, const MPI_Status& status, std::vector<int>& next) {
    check(status.MPI_SOURCE > 0 && static_cast<std::size_t>(status.MPI_SOURCE) < next.size(), "source");
    const int message = next[static_cast<std::size_t>(status.MPI_SOURCE)]++;
    check(status.MPI_TAG == message % kTagCount, "tag");
    check(count_of(status, MPI_INT) == words_of(message), "count");
    check(posted.words.front() == message &&
              posted.words[static_cast<std::size_t>(words_of(message)) - 1] == message,
          "each source's messages in order");
}

void wildcards(const Mpi& mpi) {
    constexpr int each = 10'000;
    if (mpi.rank != 0) return send_numbered(each);
    std::vector<int> next(static_cast<std::size_t>(mpi.size));
    std::deque<Posted> posted;
    std::minstd_rand random;
    for (int left = each * (mpi.size - 1); left > 0;) {
        while (posted.size() < 1 + random() % 4) {
            Posted& one = posted.emplace_back();
            MPI_Irecv(one.words.data(), kMostWords, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &one.request);
        }
        if (random() % 3 == 0) MPI_Cancel(&posted.front().request);
        MPI_Status status;
        int cancelled = 0;
        MPI_Wait(&posted.front().request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        if (cancelled == 0) {
            check_next(posted.front(), status, next);
            --left;
        }
        posted.pop_front();
    }
    for (Posted& one : posted) {
        MPI_Cancel(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    }
}

// --- Memory for messages that nobody has asked for yet
// -----------------------------------------------------------------

/// Bytes of this process that are in memory.
long resident() {
    std::ifstream file("/proc/self/statm");
    long all = 0;
    long pages = 0;
    file >> all >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
}

/// Rank 1 sends far more than rank 0 keeps; rank 0 waits for rank 2 only.
void unexpected_memory(const Mpi& mpi) {
    constexpr long messages = 400'000;
    constexpr long budget = 16L << 20;  // RB2_UNEXPECTED_BYTES
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi.rank == 1)
        for (long i = 0; i < messages; ++i) send_long(i, 0, 5);
    if (mpi.rank == 2) {
        std::this_thread::sleep_for(500ms);
        send_long(0, 0, 1);
    }
    if (mpi.rank != 0) return;
    const long before = resident();
    receive_long(2, 1);
    const long full = resident();
    for (long i = 0; i < messages; ++i) check(receive_long(1, 5) == i, "order");
    std::printf("resident: before %ld, full %ld, after %ld bytes\n", before, full, resident());
    check(full - before < budget + budget / 4, "kept messages take no more than their budget");
    check(resident() - before < budget / 4, "and give it back");
}

// --- One busy or silent peer and the others
// ----------------------------------------------------------------------------

/// Rank 0 starts a long message and waits for something that comes only once it has arrived.
void progress_elsewhere(const Mpi& mpi) {
    std::vector<unsigned char> data(4 << 20);
    for (int round = 0; round < 10; ++round) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (mpi.rank == 0) {
            MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            receive_long(2, 2);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (mpi.rank == 1) {
            if (round % 2 == 1) std::this_thread::sleep_for(2ms);
            MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            send_long(round, 2, 3);
        } else if (mpi.rank == 2) {
            send_long(receive_long(1, 3), 0, 2);
        }
    }
}

/// Rank 1 sleeps outside the library, the ring to it is full, and the last rank is talked to all the same.
void sleeping_peer(const Mpi& mpi) {
    constexpr long messages = 20'000;
    const int last = mpi.size - 1;
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR2);
    sigprocmask(SIG_BLOCK, &wake, nullptr);
    if (mpi.rank == 0) {
        const long sleeper = receive_long(1, 3);
        std::vector<long> values(messages);
        std::vector<MPI_Request> sends(messages);
        for (std::size_t i = 0; i < messages; ++i) {
            values[i] = static_cast<long>(i);
            MPI_Isend(&values[i], 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, &sends[i]);
        }
        for (long i = 0; i < 1000; ++i) {
            send_long(i, last, 2);
            check(receive_long(last, 2) == i, "answer of the last rank");
        }
        int done = 1;
        MPI_Test(&sends.back(), &done, MPI_STATUS_IGNORE);
        check(done == 0, "the sleeper's ring is full");
        ::kill(static_cast<pid_t>(sleeper), SIGUSR2);
        MPI_Waitall(static_cast<int>(messages), sends.data(), MPI_STATUSES_IGNORE);
    } else if (mpi.rank == 1) {
        int signal = 0;
        send_long(::getpid(), 0, 3);
        sigwait(&wake, &signal);
        for (long i = 0; i < messages; ++i) check(receive_long(0, 1) == i, "order");
    } else if (mpi.rank == last) {
        for (long i = 0; i < 1000; ++i) send_long(receive_long(0, 2), 0, 2);
    }
}

// --- Children
// ----------------------------------------------------------------------------------------------------------

/// Its exit handlers and destructors run in the child, too, and must not touch the job.
void child_that_exits() {
    const pid_t child = ::fork();
    if (child == 0) std::exit(7);
    int status = 0;
    ::waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "exit status of a child");
}

void children(const Mpi& mpi) {
    const int peer = mpi.rank ^ 1;
    for (int round = 0; round < 60; ++round) {
        if (round % 3 == 0) check(std::system("true") == 0, "system()");
        if (round % 3 == 1) child_that_exits();
        const auto out = pattern(round % 2 == 0 ? 100 : 300'000, static_cast<unsigned>(round));
        std::vector<unsigned char> in(out.size());
        MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer, round, in.data(),
                     static_cast<int>(in.size()), MPI_BYTE, peer, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in == out, "data between children");
    }
}

// --- The end
// -----------------------------------------------------------------------------------------------------------

/// What was printed before, without a flush, appears.
void abort_after_output(const Mpi& mpi) {
    for (int line = 0; line < 100'000; ++line) std::printf("%d %08d\n", mpi.rank, line);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi.rank == 1) MPI_Abort(MPI_COMM_WORLD, 42);
    for (;;) ::pause();
}

const std::map<std::string, void (*)(const Mpi&)> kCases = {{"wildcards", wildcards},
                                                            {"unexpected_memory", unexpected_memory},
                                                            {"progress_elsewhere", progress_elsewhere},
                                                            {"sleeping_peer", sleeping_peer},
                                                            {"children", children},
                                                            {"abort_after_output", abort_after_output}};

}  // namespace

int main(int argc, char** argv) {
    const Mpi mpi;
    const auto found = kCases.find(argc > 1 ? argv[1] : "");
    check(found != kCases.end(), "usage: troubles CASE");
    found->second(mpi);
    return 0;
}
