// Programs that never end, each in a way that the hang report has a name for, and some that do: stuck CASE.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int size = 0;

int next() { return (rank + 1) % size; }

/// Something is under way before, so that counters are not all zero.
void greet() {
    int token = rank;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next(), 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

void receive_cycle() {
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, next(), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// With what the report lists: a posted receive, an unexpected message, pending sends.
void send_cycle() {
    const std::vector<char> data(1 << 20);
    char posted[16];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(posted, sizeof posted, MPI_CHAR, next(), 11, MPI_COMM_WORLD, &request);
    MPI_Send(data.data(), 5, MPI_CHAR, next(), 12, MPI_COMM_WORLD);
    MPI_Ssend(data.data(), static_cast<int>(data.size()), MPI_CHAR, next(), 13, MPI_COMM_WORLD);
}

void compute() {
    for (;;) asm volatile("");
}

void endless_loop() {
    if (rank == size - 1) compute();
    receive_cycle();
}

void stopped() {
    if (rank == size - 1) std::raise(SIGSTOP);
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void barrier_without_last() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) compute();
    MPI_Barrier(MPI_COMM_WORLD);
}

void mixed_collectives() {
    int token = 0;
    std::vector<int> all(static_cast<std::size_t>(size));
    if (rank == 0)
        MPI_Bcast(&token, 1, MPI_INT, 1, MPI_COMM_WORLD);
    else
        MPI_Gather(&token, 1, MPI_INT, all.data(), 1, MPI_INT, 1, MPI_COMM_WORLD);
}

void waitall() {
    int tokens[3];
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i)
        MPI_Irecv(&tokens[i], 1, MPI_INT, next(), 20 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

void any_source() {
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void poll() {
    int flag = 0;
    while (flag == 0) MPI_Iprobe(next(), 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

void threads() {
    const auto receive = [](int tag) {
        int token = 0;
        MPI_Recv(&token, 1, MPI_INT, next(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    std::thread other(receive, 31);
    receive(30);
    other.join();
}

/// One second of messages, then the end.
void busy() {
    const double end = MPI_Wtime() + 1;
    int go_on = 1;
    while (go_on != 0) {
        go_on = MPI_Wtime() < end ? 1 : 0;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/// What counters are checked with: 9 messages of 4 to 60 bytes to the next rank, one of 4 to the own, one of
/// 1 MiB to the next; with the greeting 12 each.
void known() {
    std::vector<char> data(1 << 20);
    std::vector<char> room(1 << 20);
    const auto exchange = [&](int bytes, int to, int from) {
        MPI_Sendrecv(data.data(), bytes, MPI_CHAR, to, 2, room.data(), bytes, MPI_CHAR, from, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    const int before = (rank + size - 1) % size;
    for (int i = 0; i < 9; ++i) exchange(4 + 7 * i, next(), before);
    exchange(4, rank, rank);
    exchange(1 << 20, next(), before);
}

/// Of a process that is not the rank itself, so that rb2run does not notice.
void dies() {
    if (rank == size - 1) std::raise(SIGKILL);
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void fail() { std::_Exit(rank == 0 ? 3 : (compute(), 0)); }

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, void (*)()> cases{{"receive_cycle", receive_cycle},
                                                  {"send_cycle", send_cycle},
                                                  {"endless_loop", endless_loop},
                                                  {"stopped", stopped},
                                                  {"barrier_without_last", barrier_without_last},
                                                  {"mixed_collectives", mixed_collectives},
                                                  {"waitall", waitall},
                                                  {"any_source", any_source},
                                                  {"poll", poll},
                                                  {"threads", threads},
                                                  {"busy", busy},
                                                  {"known", known},
                                                  {"dies", dies},
                                                  {"fail", fail}};
    const auto found = argc > 1 ? cases.find(argv[1]) : cases.end();
    if (found == cases.end()) return 2;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, found->first == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) greet();
    std::printf("ready\n");
    std::fflush(stdout);
    found->second();
    MPI_Finalize();
}
