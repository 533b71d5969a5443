// Probes of eager and rendezvous messages between ranks; every probe call makes progress.
#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::Mpi;
using rb2::test::pattern;

constexpr int kSizes[] = {0, 10, 5000, 70'000, 3'000'000};

void send_all(int peer) {
    for (const int bytes : kSizes) {
        const auto out = pattern(static_cast<std::size_t>(bytes), static_cast<unsigned>(bytes));
        MPI_Send(out.data(), bytes, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
    }
}

/// Finds the size by one form of probe, then receives exactly that.
template <class Find>
void receive_all(Find find) {
    for (const int bytes : kSizes) {
        MPI_Status status;
        find(status);
        check(count_of(status, MPI_BYTE) == bytes, "probed size");
        std::vector<unsigned char> in(static_cast<std::size_t>(bytes));
        MPI_Recv(in.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        check(in == pattern(in.size(), static_cast<unsigned>(bytes)), "probed message");
    }
}

void receive_matched(int peer) {
    for (const int bytes : kSizes) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Mprobe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        check(count_of(status, MPI_BYTE) == bytes, "size of the matched message");
        std::vector<unsigned char> in(static_cast<std::size_t>(bytes));
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Imrecv(in.data(), bytes, MPI_BYTE, &message, &request);
        check(message == MPI_MESSAGE_NULL, "message handle is used up");
        MPI_Wait(&request, &status);
        check(status.MPI_SOURCE == peer && status.MPI_TAG == 3, "status");
        check(in == pattern(in.size(), static_cast<unsigned>(bytes)), "matched message");
    }
}

void receive_improbed(int peer) {
    for (const int bytes : kSizes) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        for (int flag = 0; flag == 0;) MPI_Improbe(peer, 3, MPI_COMM_WORLD, &flag, &message, &status);
        std::vector<unsigned char> in(static_cast<std::size_t>(bytes));
        MPI_Mrecv(in.data(), bytes, MPI_BYTE, &message, &status);
        check(count_of(status, MPI_BYTE) == bytes, "size");
        check(in == pattern(in.size(), static_cast<unsigned>(bytes)), "message");
    }
}

}  // namespace

int main() {
    const Mpi mpi;
    const int peer = mpi.rank ^ 1;
    if (mpi.rank % 2 == 0) {
        for (int round = 0; round < 4; ++round) send_all(peer);
        return 0;
    }
    receive_all([&](MPI_Status& status) { MPI_Probe(peer, 3, MPI_COMM_WORLD, &status); });
    receive_all([&](MPI_Status& status) {
        for (int flag = 0; flag == 0;)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    });
    receive_matched(peer);
    receive_improbed(peer);
    return 0;
}
