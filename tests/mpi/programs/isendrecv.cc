// MPI_Isendrecv and its kin around a ring of ranks: short and long messages, replaced buffers, null ranks.
#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::count_of;
using rb2::test::Mpi;
using rb2::test::pattern;

int right(const Mpi& mpi) { return (mpi.rank + 1) % mpi.size; }
int left(const Mpi& mpi) { return (mpi.rank + mpi.size - 1) % mpi.size; }
unsigned seed_of(int rank) { return static_cast<unsigned>(rank) + 1; }

void shift(const Mpi& mpi, std::size_t bytes) {
    const auto count = static_cast<int>(bytes);
    const std::vector<unsigned char> out = pattern(bytes, seed_of(mpi.rank));
    std::vector<unsigned char> in(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Isendrecv(out.data(), count, MPI_BYTE, right(mpi), 1, in.data(), count, MPI_BYTE, left(mpi), 1,
                  MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check(status.MPI_SOURCE == left(mpi) && count_of(status, MPI_BYTE) == count, "status of the receive");
    check(in == pattern(bytes, seed_of(left(mpi))), "bytes of the left rank");
}

void replace(const Mpi& mpi, std::size_t bytes) {
    std::vector<unsigned char> data = pattern(bytes, seed_of(mpi.rank));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isendrecv_replace(data.data(), static_cast<int>(bytes), MPI_BYTE, right(mpi), 2, left(mpi), 2,
                          MPI_COMM_WORLD, &request);
    int flag = 0;
    while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    check(data == pattern(bytes, seed_of(left(mpi))), "replaced by the bytes of the left rank");
}

/// The send is complete only once the right rank receives, which it does last.
void waits_for_its_send(const Mpi& mpi) {
    constexpr std::size_t long_bytes = std::size_t{1} << 20;  // more than is sent without a receive
    const std::vector<unsigned char> out = pattern(long_bytes, 9);
    std::vector<unsigned char> in(long_bytes);
    if (mpi.rank == 0) {
        int empty = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isendrecv(out.data(), long_bytes, MPI_BYTE, 1, 3, &empty, 1, MPI_INT, 1, 3, MPI_COMM_WORLD,
                      &request);
        MPI_Send(nullptr, 0, MPI_INT, 1, 4, MPI_COMM_WORLD);
        int flag = 0;
        MPI_Status probed;
        MPI_Probe(1, 5, MPI_COMM_WORLD, &probed);  // the message for `empty` has come before it
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        check(flag == 0, "not complete while its send is not");
        MPI_Send(nullptr, 0, MPI_INT, 1, 6, MPI_COMM_WORLD);
        MPI_Recv(nullptr, 0, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(empty == 12, "its message");
    } else if (mpi.rank == 1) {
        const int value = 12;
        MPI_Recv(nullptr, 0, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Send(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Recv(nullptr, 0, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in.data(), long_bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in == out, "its bytes");
    }
}

/// Every second int of a buffer; the others stay.
void replace_with_gaps(const Mpi& mpi) {
    constexpr int ints = 50000;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(ints, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> data(2 * ints, mpi.rank);
    std::vector<int> expected = data;
    for (std::size_t i = 0; i < expected.size(); i += 2) expected[i] = left(mpi);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isendrecv_replace(data.data(), 1, type, right(mpi), 9, left(mpi), 9, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(data == expected, "replaced with gaps");
}

/// The ends of a line of ranks have a neighbour on one side only.
void line(const Mpi& mpi) {
    const int up = mpi.rank + 1 < mpi.size ? mpi.rank + 1 : MPI_PROC_NULL;
    const int down = mpi.rank > 0 ? mpi.rank - 1 : MPI_PROC_NULL;
    int value = mpi.rank;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Isendrecv_replace(&value, 1, MPI_INT, up, 7, down, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check(value == (down == MPI_PROC_NULL ? mpi.rank : down), "shifted along the line");
    check(status.MPI_SOURCE == down, "source, or the null rank");
    std::vector<int> large(100000, mpi.rank);
    MPI_Isendrecv_replace(large.data(), 100000, MPI_INT, up, 8, down, 8, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, &status);
    check(large.back() == (down == MPI_PROC_NULL ? mpi.rank : down), "a long one, too");
}

}  // namespace

int main() {
    const Mpi mpi;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{300000}}) {
        shift(mpi, bytes);
        replace(mpi, bytes);
    }
    if (mpi.size > 1) waits_for_its_send(mpi);
    replace_with_gaps(mpi);
    line(mpi);
}
