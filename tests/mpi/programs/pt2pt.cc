// Messages between pairs of ranks (0-1, 2-3, …) in every send mode and at sizes from 0 to 8 MiB, each
// verified.
#include <array>
#include <numeric>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::pattern;

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using StartSend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

constexpr std::size_t kSizes[] = {0,     1,     7,      8,           47,       48,      49,    64,
                                  100,   1000,  4095,   4096,        8191,     16384,   32768, 65535,
                                  65536, 65537, 131072, 1000 * 1000, 1u << 20, 8u << 20};

void receive_and_verify(std::size_t bytes, int from, int tag, int buffer_extra) {
    std::vector<unsigned char> in(bytes + static_cast<std::size_t>(buffer_extra));
    MPI_Status status;
    MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
    check(status.MPI_SOURCE == from && status.MPI_TAG == tag, "source and tag");
    check(count_of(status, MPI_BYTE) == static_cast<int>(bytes), "size");
    in.resize(bytes);
    check(in == pattern(bytes, static_cast<unsigned>(tag)), "bytes");
}

void blocking(int me, int peer, Send send) {
    int tag = 0;
    for (const std::size_t bytes : kSizes) {
        ++tag;
        if (me % 2 == 0) {
            const auto out = pattern(bytes, static_cast<unsigned>(tag));
            send(out.data(), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD);
            receive_and_verify(bytes, peer, tag, 3);
        } else {
            receive_and_verify(bytes, peer, tag, 0);
            const auto out = pattern(bytes, static_cast<unsigned>(tag));
            send(out.data(), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD);
        }
    }
}

/// All sizes at once, both ways, received in the opposite order.
void nonblocking(int peer, StartSend start) {
    std::vector<std::vector<unsigned char>> out;
    std::vector<std::vector<unsigned char>> in;
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
        out.push_back(pattern(kSizes[i], static_cast<unsigned>(i)));
        in.emplace_back(kSizes[i]);
    }
    for (std::size_t i = std::size(kSizes); i-- > 0;)
        MPI_Irecv(in[i].data(), static_cast<int>(kSizes[i]), MPI_BYTE, peer, static_cast<int>(i),
                  MPI_COMM_WORLD, &requests.emplace_back());
    // A ready send may only start once its receive is posted.
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < std::size(kSizes); ++i)
        start(out[i].data(), static_cast<int>(kSizes[i]), MPI_BYTE, peer, static_cast<int>(i), MPI_COMM_WORLD,
              &requests.emplace_back());
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS,
          "MPI_Waitall");
    check(in == out, "bytes of all messages");
}

void buffered(int me, int peer) {
    std::size_t bytes = 0;
    for (const std::size_t size : kSizes) bytes += size + MPI_BSEND_OVERHEAD;
    std::vector<char> buffer(bytes);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(bytes));
    for (int round = 0; round < 2; ++round) {
        int tag = 0;
        for (const std::size_t size : kSizes) {
            ++tag;
            const auto out = pattern(size, static_cast<unsigned>(tag));
            MPI_Bsend(out.data(), static_cast<int>(size), MPI_BYTE, peer, tag, MPI_COMM_WORLD);
        }
        tag = 0;
        for (const std::size_t size : kSizes) receive_and_verify(size, peer, ++tag, me);
        // Both sides have everything only now, and only then is all of the buffer free again.
        void* detached = nullptr;
        int detached_bytes = 0;
        MPI_Buffer_detach(static_cast<void*>(&detached), &detached_bytes);
        check(detached == buffer.data() && detached_bytes == static_cast<int>(bytes), "detached buffer");
        MPI_Buffer_attach(buffer.data(), static_cast<int>(bytes));
    }
    void* detached = nullptr;
    int detached_bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&detached), &detached_bytes);
}

/// A synchronous send is complete only once it is matched.
void synchronous_send_waits(int me, int peer) {
    int flag = 1;
    int value = me;
    if (me % 2 == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Issend(&value, 1, MPI_INT, peer, 77, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 1000; ++i) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            check(flag == 0, "not complete before it is received");
        }
        MPI_Send(&value, 1, MPI_INT, peer, 78, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, peer, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, peer, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value == peer, "value");
    }
}

/// Large-count forms.
void large_count_forms(int me, int peer) {
    std::array<double, 100> out{};
    std::array<double, 100> in{};
    std::iota(out.begin(), out.end(), me);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Irecv_c(in.data(), 100, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Send_c(out.data(), 100, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Count count = 0;
    MPI_Get_count_c(&status, MPI_DOUBLE, &count);
    check(count == 100 && in[0] == peer && in[99] == peer + 99, "large-count forms");
    MPI_Sendrecv_c(out.data(), 100, MPI_DOUBLE, peer, 2, in.data(), 100, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD,
                   &status);
    check(in[99] == peer + 99, "MPI_Sendrecv_c");
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const int peer = mpi.rank ^ 1;
    for (const Send send : {MPI_Send, MPI_Ssend}) blocking(mpi.rank, peer, send);
    for (const StartSend start : {MPI_Isend, MPI_Issend, MPI_Irsend}) nonblocking(peer, start);
    buffered(mpi.rank, peer);
    synchronous_send_waits(mpi.rank, peer);
    large_count_forms(mpi.rank, peer);
    return 0;
}
