// Long messages in all the ways that a sender and a receiver may meet, often enough that every path between
// two ranks of a host is taken: every byte and the bytes around are verified.
#include <algorithm>
#include <array>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::pattern;

constexpr std::size_t kMargin = 64;
constexpr unsigned char kUntouched = 0xa5;

/// Room for a message, with margins that must stay as they are.
class Buffer {
  public:
    explicit Buffer(std::size_t bytes) : memory_(bytes + 2 * kMargin, kUntouched) {}
    [[nodiscard]] unsigned char* data() { return memory_.data() + kMargin; }
    void verify(const std::vector<unsigned char>& sent) {
        const auto untouched = [](unsigned char byte) { return byte == kUntouched; };
        check(std::equal(sent.begin(), sent.end(), data()), "bytes of a long message");
        check(std::all_of(memory_.begin(), memory_.begin() + kMargin, untouched), "bytes before it");
        check(std::all_of(memory_.end() - kMargin, memory_.end(), untouched), "bytes behind it");
        std::fill(memory_.begin(), memory_.end(), kUntouched);
    }

  private:
    std::vector<unsigned char> memory_;
};

/// Rank 0 waits for each message to be taken; every third is received late.
void one_way(const Mpi& mpi, std::size_t bytes, int rounds) {
    Buffer to(bytes);
    for (int round = 0; round < rounds; ++round) {
        const auto sent = pattern(bytes, static_cast<unsigned>(round));
        if (mpi.rank == 0) MPI_Send(sent.data(), static_cast<int>(bytes), MPI_BYTE, 1, round, MPI_COMM_WORLD);
        if (mpi.rank != 1) continue;
        MPI_Status status;
        if (round % 3 == 0) MPI_Probe(0, round, MPI_COMM_WORLD, &status);
        MPI_Recv(to.data(), static_cast<int>(bytes), MPI_BYTE, 0, round, MPI_COMM_WORLD, &status);
        to.verify(sent);
    }
}

/// All ranks send to the next one and receive from the one before, several messages at a time.
void around(const Mpi& mpi, std::size_t bytes, int rounds) {
    constexpr int window = 4;
    const int next = (mpi.rank + 1) % mpi.size;
    const int before = (mpi.rank + mpi.size - 1) % mpi.size;
    const auto seed = [](int rank, int round, int i) {
        return static_cast<unsigned>(rank * 1000 + round * 10 + i);
    };
    std::vector<Buffer> to(window, Buffer(bytes));
    for (int round = 0; round < rounds; ++round) {
        std::array<std::vector<unsigned char>, window> sent;
        std::array<MPI_Request, std::size_t{2} * window> requests;
        for (int i = 0; i < window; ++i) {
            auto& message = sent[static_cast<std::size_t>(i)];
            message = pattern(bytes, seed(mpi.rank, round, i));
            MPI_Isend(message.data(), static_cast<int>(bytes), MPI_BYTE, next, i, MPI_COMM_WORLD,
                      &requests[static_cast<std::size_t>(i)]);
            MPI_Irecv(to[static_cast<std::size_t>(i)].data(), static_cast<int>(bytes), MPI_BYTE, before, i,
                      MPI_COMM_WORLD, &requests[static_cast<std::size_t>(window + i)]);
        }
        MPI_Waitall(2 * window, requests.data(), MPI_STATUSES_IGNORE);
        for (int i = 0; i < window; ++i)
            to[static_cast<std::size_t>(i)].verify(pattern(bytes, seed(before, round, i)));
    }
}

}  // namespace

int main() {
    const Mpi mpi;
    for (const std::size_t bytes :
         {std::size_t{65535}, std::size_t{65536}, std::size_t{100001}, std::size_t{1048576}}) {
        one_way(mpi, bytes, 60);
        around(mpi, bytes, 12);
    }
    return 0;
}
