// Threads of every rank at random: nonblocking and blocking calls, all forms of completion and probes, sizes
// of all protocols, to all ranks. A thread talks to the thread of the same number in each rank; seeds decide
// what both sides do, so that each knows what the other sends. Seconds and threads are arguments.
#include "tests/mpi/programs/threads.hpp"

#include <chrono>
#include <random>

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::in_threads;
using rb2::test::pattern;
using rb2::test::ThreadedMpi;

constexpr int kBatch = 8;  // messages each way between two rounds of agreement

std::size_t size_of_message(unsigned seed) {
    constexpr std::size_t limits[] = {8, 48, 2'000, 9'000, 70'000, 300'000};
    std::minstd_rand random(seed);
    const std::size_t limit = limits[random() % std::size(limits)];
    return random() % (limit + 1);
}

/// One message and the buffer it needs, of either direction.
struct Transfer {
    std::vector<unsigned char> data;
    unsigned seed = 0;
};

class Talker {
  public:
    Talker(const ThreadedMpi& mpi, int thread)
        : mpi_(mpi), tag_(thread), random_(static_cast<unsigned>(thread * 977 + mpi.rank)) {}

    void exchange(unsigned round) {
        const int shift = 1 + static_cast<int>(round) % mpi_.size;  // the own rank too
        to_ = (mpi_.rank + shift) % mpi_.size;
        from_ = (mpi_.rank - shift + mpi_.size) % mpi_.size;
        std::vector<Transfer> out(kBatch);
        std::vector<MPI_Request> sends(kBatch, MPI_REQUEST_NULL);
        for (int i = 0; i < kBatch; ++i)
            start_send(out[static_cast<std::size_t>(i)], sends[static_cast<std::size_t>(i)],
                       seed(mpi_.rank, to_, round, i));
        for (int i = 0; i < kBatch; ++i) receive(seed(from_, mpi_.rank, round, i));
        complete(sends);
    }

    /// Whether all threads of this number go on.
    bool agree(bool go_on, MPI_Comm comm) {
        int mine = go_on ? 1 : 0;
        int all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
        return all == 1;
    }

  private:
    [[nodiscard]] unsigned seed(int from, int to, unsigned round, int message) const {
        return ((static_cast<unsigned>(from) * 31 + static_cast<unsigned>(to)) * 1009 + round) * 64 +
               static_cast<unsigned>(message * 8 + tag_ % 8);
    }

    void start_send(Transfer& transfer, MPI_Request& request, unsigned seed) {
        transfer.data = pattern(size_of_message(seed), seed);
        const int bytes = static_cast<int>(transfer.data.size());
        if (random_() % 4 == 0)
            MPI_Issend(transfer.data.data(), bytes, MPI_BYTE, to_, tag_, MPI_COMM_WORLD, &request);
        else
            MPI_Isend(transfer.data.data(), bytes, MPI_BYTE, to_, tag_, MPI_COMM_WORLD, &request);
    }

    void receive(unsigned seed) {
        std::vector<unsigned char> data(size_of_message(seed));
        const int bytes = static_cast<int>(data.size());
        MPI_Status status;
        switch (random_() % 4) {
            case 0:
                MPI_Recv(data.data(), bytes, MPI_BYTE, from_, tag_, MPI_COMM_WORLD, &status);
                break;
            case 1:
                receive_by_test(data, status);
                break;
            case 2:
                receive_by_probe(data, status);
                break;
            default:
                receive_by_wait(data, status);
        }
        check(count_of(status, MPI_BYTE) == bytes && status.MPI_SOURCE == from_, "size and source");
        check(data == pattern(data.size(), seed), "data");
    }

    void receive_by_test(std::vector<unsigned char>& data, MPI_Status& status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, from_, tag_, MPI_COMM_WORLD,
                  &request);
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, &status);
    }

    void receive_by_probe(std::vector<unsigned char>& data, MPI_Status& status) {
        MPI_Message message = MPI_MESSAGE_NULL;
        int flag = 0;
        while (flag == 0) MPI_Iprobe(from_, tag_, MPI_COMM_WORLD, &flag, &status);
        MPI_Mprobe(from_, tag_, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, &message, &status);
    }

    void receive_by_wait(std::vector<unsigned char>& data, MPI_Status& status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, from_, tag_, MPI_COMM_WORLD,
                  &request);
        int index = -1;
        if (random_() % 2 == 0)
            MPI_Wait(&request, &status);
        else
            MPI_Waitany(1, &request, &index, &status);
    }

    void complete(std::vector<MPI_Request>& sends) {
        int done = 0;
        int index = -1;
        if (random_() % 2 == 0) MPI_Waitany(kBatch, sends.data(), &index, MPI_STATUS_IGNORE);
        while (random_() % 3 != 0 && done == 0) MPI_Testall(kBatch, sends.data(), &done, MPI_STATUSES_IGNORE);
        MPI_Waitall(kBatch, sends.data(), MPI_STATUSES_IGNORE);
    }

    const ThreadedMpi& mpi_;
    int tag_;
    int to_ = 0;
    int from_ = 0;
    std::minstd_rand random_;
};

}  // namespace

int main(int argc, char** argv) {
    const ThreadedMpi mpi;
    const std::chrono::seconds length(argc > 1 ? std::atoi(argv[1]) : 5);
    const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto end = std::chrono::steady_clock::now() + length;
    in_threads(threads, [&](int thread) {
        Talker talker(mpi, thread);
        MPI_Comm& comm = comms[static_cast<std::size_t>(thread)];
        for (unsigned round = 0; talker.agree(std::chrono::steady_clock::now() < end, comm); ++round)
            talker.exchange(round);
        MPI_Comm_free(&comm);
    });
}
