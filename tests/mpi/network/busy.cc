// busy FILE: ranks exchange messages of many sizes, all with all, and check every byte, until FILE is there.
#include <mpi.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::array kSizes = {8, 100, 3000, 60'000, 700'000};

/// What rank `from` sends to `to` in a round; no two messages are alike.
unsigned char content(int round, int from, int to, int index) {
    return static_cast<unsigned char>(round * 31 + from * 7 + to * 13 + index * 5 + index / 251);
}

class Rank {
  public:
    Rank() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        out_.resize(static_cast<std::size_t>(size_));
        in_.resize(static_cast<std::size_t>(size_));
    }

    /// Wrong bytes of the round.
    long exchange(int round) {
        const int bytes = kSizes[static_cast<std::size_t>(round) % kSizes.size()];
        std::vector<MPI_Request> requests;
        for (int peer = 0; peer < size_; ++peer) {
            std::vector<unsigned char>& in = in_[static_cast<std::size_t>(peer)];
            std::vector<unsigned char>& out = out_[static_cast<std::size_t>(peer)];
            in.assign(static_cast<std::size_t>(bytes), 0);
            out.resize(static_cast<std::size_t>(bytes));
            for (int i = 0; i < bytes; ++i) out[static_cast<std::size_t>(i)] = content(round, rank_, peer, i);
            MPI_Irecv(in.data(), bytes, MPI_BYTE, peer, round % 100, MPI_COMM_WORLD,
                      &requests.emplace_back());
            MPI_Isend(out.data(), bytes, MPI_BYTE, peer, round % 100, MPI_COMM_WORLD,
                      &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        return wrong_bytes(round, bytes);
    }
    [[nodiscard]] int rank() const { return rank_; }

  private:
    [[nodiscard]] long wrong_bytes(int round, int bytes) const {
        long wrong = 0;
        for (int peer = 0; peer < size_; ++peer)
            for (int i = 0; i < bytes; ++i)
                wrong += in_[static_cast<std::size_t>(peer)][static_cast<std::size_t>(i)] !=
                         content(round, peer, rank_, i);
        return wrong;
    }

    int rank_ = 0;
    int size_ = 0;
    std::vector<std::vector<unsigned char>> out_;
    std::vector<std::vector<unsigned char>> in_;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Rank rank;
    long wrong = 0;
    int round = 0;
    for (int go_on = 1; go_on != 0; ++round) {
        wrong += rank.exchange(round);
        struct stat file {};
        if (rank.rank() == 0) go_on = argc < 2 || ::stat(argv[1], &file) != 0 ? 1 : 0;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank.rank() == 0) std::printf("rounds %d, wrong bytes %ld\n", round, wrong);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
