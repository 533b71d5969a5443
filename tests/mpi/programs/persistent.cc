// Persistent requests: started again and again, waited for in all forms, freed, and misused.
#include <algorithm>
#include <array>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::pattern;

/// All sizes with one pair of requests each: short, several records, rendezvous.
void repeat_sizes(int rank) {
    for (const int bytes : {0, 1, 48, 5000, 100'000, 1'000'000}) {
        const auto size = static_cast<std::size_t>(bytes);
        std::vector<unsigned char> data(size);
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0)
            MPI_Send_init(data.data(), bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
        else
            MPI_Recv_init(data.data(), bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
        for (unsigned round = 0; round < 5; ++round) {
            if (rank == 0) std::ranges::copy(pattern(size, round), data.begin());
            check(MPI_Start(&request) == MPI_SUCCESS, "MPI_Start");
            MPI_Status status;
            check(MPI_Wait(&request, &status) == MPI_SUCCESS, "MPI_Wait");
            check(request != MPI_REQUEST_NULL, "the handle stays");
            if (rank == 1) {
                check(data == pattern(size, round), "data");
                check(status.MPI_SOURCE == 0 && status.MPI_TAG == 3, "status");
                check(rb2::test::count_of(status, MPI_BYTE) == bytes, "count");
            }
        }
        check(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL, "MPI_Request_free");
    }
}

void all_modes(int rank) {
    std::array<MPI_Request, 4> requests{};
    std::array<int, 4> values{};
    std::vector<unsigned char> room(1000 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    if (rank == 0) {
        MPI_Send_init(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Ssend_init(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Bsend_init(&values[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Rsend_init_c(&values[3], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[3]);
    } else {
        for (int tag = 0; tag < 4; ++tag) {
            const auto i = static_cast<std::size_t>(tag);
            MPI_Recv_init(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
        }
    }
    for (int round = 0; round < 20; ++round) {
        if (rank == 1) MPI_Startall(4, requests.data());
        MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive
        if (rank == 0) {
            for (int i = 0; i < 4; ++i) values[static_cast<std::size_t>(i)] = 10 * round + i;
            MPI_Startall(4, requests.data());
        }
        std::array<MPI_Status, 4> statuses{};
        check(MPI_Waitall(4, requests.data(), statuses.data()) == MPI_SUCCESS, "MPI_Waitall");
        for (int i = 0; i < 4; ++i) check(values[static_cast<std::size_t>(i)] == 10 * round + i, "value");
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    void* base = nullptr;
    int size = 0;
    MPI_Buffer_detach(&base, &size);
}

/// Waits and tests see an inactive request as they see MPI_REQUEST_NULL.
void inactive_counts_for_nothing(int rank) {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, &request);
    MPI_Status status;
    int flag = 0;
    int index = 0;
    check(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE, "MPI_Wait");
    check(MPI_Test(&request, &flag, &status) == MPI_SUCCESS && flag == 1, "MPI_Test");
    check(MPI_Testany(1, &request, &index, &flag, &status) == MPI_SUCCESS && flag == 1, "MPI_Testany");
    check(index == MPI_UNDEFINED, "no index");
    check(MPI_Waitany(1, &request, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED, "MPI_Waitany");
    int count = 0;
    check(MPI_Waitsome(1, &request, &count, &index, &status) == MPI_SUCCESS && count == MPI_UNDEFINED,
          "MPI_Waitsome");
    check(MPI_Request_get_status(request, &flag, &status) == MPI_SUCCESS && flag == 1,
          "MPI_Request_get_status");

    // One active and one inactive: the active one is found.
    std::array<MPI_Request, 2> both{request, MPI_REQUEST_NULL};
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &both[1]);
    MPI_Start(&both[1]);
    const int sent = 70 + rank;
    MPI_Send(&sent, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
    check(MPI_Waitany(2, both.data(), &index, &status) == MPI_SUCCESS && index == 1, "MPI_Waitany, mixed");
    check(value == 71 - rank && status.MPI_TAG == 9, "value, mixed");
    for (MPI_Request& each : both) MPI_Request_free(&each);
}

void null_and_cancelled(int rank) {
    int value = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 2; ++round) {
        MPI_Start(&request);
        check(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL,
              "null receive");
    }
    MPI_Request_free(&request);

    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 11, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    check(cancelled == 1, "cancelled");
    MPI_Request_free(&request);

    // Freed while active: the message still arrives.
    const int sent = 5;
    if (rank == 0) {
        MPI_Send_init(&sent, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value == 5, "sent by a freed request");
    }
}

void misuse(int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    std::array<int, 2> values{};
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Start(&request) == MPI_ERR_REQUEST, "null request started");
    check(MPI_Send_init(&values, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request) == MPI_ERR_RANK, "bad rank");
    check(request == MPI_REQUEST_NULL, "no request");
    MPI_Irecv(&values, 1, MPI_INT, 1 - rank, 13, MPI_COMM_WORLD, &request);
    check(MPI_Start(&request) == MPI_ERR_REQUEST, "started what is not persistent");
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Recv_init(&values, 1, MPI_INT, 1 - rank, 14, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    check(MPI_Start(&request) == MPI_ERR_REQUEST, "started twice");
    MPI_Send(&values, 2, MPI_INT, 1 - rank, 14, MPI_COMM_WORLD);
    check(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE, "truncated");
    MPI_Start(&request);  // and it can still be used
    MPI_Send(&values, 1, MPI_INT, 1 - rank, 14, MPI_COMM_WORLD);
    check(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "after a truncation");
    MPI_Request_free(&request);
}

}  // namespace

int main() {
    const Mpi mpi;
    check(mpi.size == 2, "two ranks");
    repeat_sizes(mpi.rank);
    all_modes(mpi.rank);
    inactive_counts_for_nothing(mpi.rank);
    null_and_cancelled(mpi.rank);
    misuse(mpi.rank);
    return 0;
}
