// Messages of derived datatypes in all ways of sending and receiving, between pairs of ranks (0-1, 2-3, …).
// Each layout goes out as itself and comes in as itself, as packed bytes, and from packed bytes; gaps must
// stay as they were.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>

#include "tests/mpi/programs/datatype_shapes.hpp"

namespace {

using namespace rb2::test;

/// What one side of a message names.
struct Side {
    void* buffer;
    int count;
    MPI_Datatype type;
};
using Send = std::function<void(const Side&, int peer)>;
using Receive = std::function<MPI_Status(const Side&, int peer)>;

MPI_Status wait(MPI_Request& request) {
    MPI_Status status;
    MPI_Wait(&request, &status);
    return status;
}

void check_status(const MPI_Status& status, const Layout& layout) {
    int bytes = -1;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    check(bytes == layout.size, "bytes of the message");
    check(layout.size == 0 || count_of(status, layout.type) == layout.count, "elements of the message");
}

/// One message of a layout, received once as itself and once as bytes, and one that was bytes.
void exchange(const Layout& layout, const Send& send, const Receive& receive, bool sends, int peer,
              unsigned seed) {
    Bytes out = layout.memory(seed);
    Bytes data = layout.packed(out);
    if (sends) {
        send({layout.at(out), layout.count, layout.type}, peer);
        send({layout.at(out), layout.count, layout.type}, peer);
        send({data.data(), layout.size, MPI_BYTE}, peer);
        return;
    }
    Bytes expected = layout.memory(seed + 1);
    layout.set(expected, data);
    Bytes in = layout.memory(seed + 1);
    check_status(receive({layout.at(in), layout.count, layout.type}, peer), layout);
    check(in == expected, "layout to layout");
    Bytes bytes(data.size());
    check_status(receive({bytes.data(), layout.size, MPI_BYTE}, peer), layout);
    check(bytes == data, "layout to bytes");
    in = layout.memory(seed + 1);
    check_status(receive({layout.at(in), layout.count, layout.type}, peer), layout);
    check(in == expected, "bytes to layout");
}

std::vector<Send> ways_to_send() {
    const auto start = [](auto function) {
        return [function](const Side& side, int peer) {
            MPI_Request request = MPI_REQUEST_NULL;
            function(side.buffer, side.count, side.type, peer, 3, MPI_COMM_WORLD, &request);
            wait(request);
        };
    };
    const auto persistent = [](auto function) {
        return [function](const Side& side, int peer) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Datatype type = side.type;
            if (type != MPI_BYTE) MPI_Type_dup(side.type, &type);
            function(side.buffer, side.count, type, peer, 3, MPI_COMM_WORLD, &request);
            if (type != MPI_BYTE) MPI_Type_free(&type);  // the request has its own reference
            MPI_Start(&request);
            wait(request);
            MPI_Request_free(&request);
        };
    };
    return {
        [](const Side& s, int peer) { MPI_Send(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD); },
        [](const Side& s, int peer) { MPI_Send_c(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD); },
        [](const Side& s, int peer) { MPI_Ssend(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD); },
        [](const Side& s, int peer) { MPI_Bsend(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD); },
        start(MPI_Isend),
        start(MPI_Issend),
        start(MPI_Ibsend),
        persistent(MPI_Send_init),
        persistent(MPI_Ssend_init),
        persistent(MPI_Bsend_init),
        [](const Side& s, int peer) {
            MPI_Sendrecv(s.buffer, s.count, s.type, peer, 3, nullptr, 0, MPI_INT, MPI_PROC_NULL, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        },
    };
}

std::vector<Receive> ways_to_receive() {
    return {
        [](const Side& s, int peer) {
            MPI_Status status;
            MPI_Recv(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD, &status);
            return status;
        },
        [](const Side& s, int peer) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD, &request);
            return wait(request);
        },
        [](const Side& s, int peer) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Recv_init(s.buffer, s.count, s.type, peer, 3, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            const MPI_Status status = wait(request);
            MPI_Request_free(&request);
            return status;
        },
        [](const Side& s, int peer) {
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            MPI_Mprobe(peer, 3, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(s.buffer, s.count, s.type, &message, &status);
            return status;
        },
        [](const Side& s, int peer) {
            MPI_Status status;
            MPI_Probe(peer, 3, MPI_COMM_WORLD, &status);
            MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, s.buffer, s.count, s.type, peer, 3,
                         MPI_COMM_WORLD, &status);
            return status;
        },
    };
}

/// Counts for one record, one chunk, a whole window, and far past it.
void all_ways(int me, int peer) {
    const Make makes[] = {column, backwards,         record,  records_here_and_there,
                          face,   pair_with_padding, nothing, row};
    const std::vector<Send> sends = ways_to_send();
    const std::vector<Receive> receives = ways_to_receive();
    unsigned seed = 0;
    for (const Make& make : makes)
        for (const int count : {1, 3, 60, 1500}) {
            const Layout layout(make(), count);
            for (std::size_t way = 0; way < std::max(sends.size(), receives.size()); ++way) {
                const Send& send = sends[way % sends.size()];
                const Receive& receive = receives[way % receives.size()];
                exchange(layout, send, receive, me % 2 == 0, peer, ++seed);
                exchange(layout, send, receive, me % 2 != 0, peer, ++seed);
            }
        }
}

/// Both directions at once, and the types freed before the messages are complete.
void freed_before_completion(int peer) {
    for (const int count : {1, 200, 3000}) {
        const Layout layout(record(), count);
        Bytes out = layout.memory(1);
        Bytes in = layout.memory(2);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_dup(layout.type, &type);
        MPI_Request requests[2];
        MPI_Irecv(layout.at(in), count, type, peer, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Issend(layout.at(out), count, type, peer, 5, MPI_COMM_WORLD, &requests[1]);
        MPI_Type_free(&type);
        check(type == MPI_DATATYPE_NULL, "MPI_Type_free clears the handle");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(layout.packed(in) == layout.packed(out), "data");
    }
}

/// Addresses as displacements, from MPI_BOTTOM; also of one block without gaps.
void from_bottom(int me, int peer) {
    std::array<int, 4> ints{};
    double real = 0;
    MPI_Aint places[2];
    MPI_Get_address(ints.data(), &places[0]);
    MPI_Get_address(&real, &places[1]);
    const int lengths[] = {4, 1};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    for (const int parts : {2, 1}) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(parts, lengths, places, types, &type);
        MPI_Type_commit(&type);
        ints = me % 2 == 0 ? std::array{1, 2, 3, 4} : std::array{0, 0, 0, 0};
        real = me % 2 == 0 ? 2.5 : 0.0;
        if (me % 2 == 0)
            MPI_Send(MPI_BOTTOM, 1, type, peer, 6, MPI_COMM_WORLD);
        else
            MPI_Recv(MPI_BOTTOM, 1, type, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(ints == std::array{1, 2, 3, 4} && (parts == 1 || real == 2.5), "data at absolute addresses");
        MPI_Type_free(&type);
    }
}

void replace(int peer, int me) {
    const Layout layout(column(), 300);
    Bytes memory = layout.memory(static_cast<unsigned>(me));
    Bytes of_peer = layout.memory(static_cast<unsigned>(peer));
    Bytes expected = memory;
    layout.set(expected, layout.packed(of_peer));
    MPI_Sendrecv_replace(layout.at(memory), layout.count, layout.type, peer, 7, peer, 7, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    check(memory == expected, "replaced data");
}

/// A part of the elements: how many basic ones came.
void partial(int me, int peer) {
    MPI_Datatype type = record();
    MPI_Type_commit(&type);
    Record in[3];
    const double value = 1.5;
    char part[1 + sizeof(double) + 2 * sizeof(short)];
    std::memset(part, 1, sizeof part);
    std::memcpy(part + 1, &value, sizeof value);
    if (me % 2 == 0) {
        MPI_Send(part, sizeof part, MPI_BYTE, peer, 8, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Recv(in, 3, type, peer, 8, MPI_COMM_WORLD, &status);
        int elements = 0;
        MPI_Count many = 0;
        MPI_Get_elements(&status, type, &elements);
        MPI_Get_elements_x(&status, type, &many);
        check(elements == 4 && many == 4, "basic elements");
        check(count_of(status, type) == MPI_UNDEFINED, "no whole element");
        check(in[0].value == 1.5 && in[0].parts[1] == 0x0101, "data");
    }
    MPI_Type_free(&type);
}

/// Packed data travel as MPI_PACKED.
void packed(int me, int peer) {
    const Layout layout(records_here_and_there(), 20);
    Bytes memory = layout.memory(9);
    Bytes data = layout.packed(memory);
    if (me % 2 == 0) {
        MPI_Send(data.data(), layout.size, MPI_PACKED, peer, 9, MPI_COMM_WORLD);
        MPI_Send(layout.at(memory), layout.count, layout.type, peer, 9, MPI_COMM_WORLD);
        return;
    }
    Bytes in = layout.memory(10);
    MPI_Recv(layout.at(in), layout.count, layout.type, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(layout.packed(in) == data, "from packed");
    Bytes bytes(data.size());
    MPI_Recv(bytes.data(), layout.size, MPI_PACKED, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(bytes == data, "to packed");
}

/// A message longer than its buffer fills what is there.
void truncated(int me, int peer) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const int count : {2, 100, 4000}) {
        const Layout layout(record(), count);
        Bytes memory = layout.memory(11);
        if (me % 2 == 0) {
            MPI_Send(layout.at(memory), count, layout.type, peer, 10, MPI_COMM_WORLD);
        } else {
            Bytes in = layout.memory(12);
            check(MPI_Recv(layout.at(in), count - 1, layout.type, peer, 10, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE,
                  "truncation is an error");
            const Bytes got = layout.packed(in);
            const Bytes sent = layout.packed(memory);
            check(std::equal(got.begin(), got.end() - layout.size / count, sent.begin()),
                  "what fits is there");
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const int peer = mpi.rank ^ 1;
    if (peer >= mpi.size) return 0;
    std::vector<char> buffer(4U << 20);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    all_ways(mpi.rank, peer);
    freed_before_completion(peer);
    from_bottom(mpi.rank, peer);
    replace(peer, mpi.rank);
    partial(mpi.rank, peer);
    packed(mpi.rank, peer);
    truncated(mpi.rank, peer);
    void* detached = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&detached, &bytes);
}
