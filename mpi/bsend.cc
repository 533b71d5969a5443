// Buffered sends: a copy of the message in memory the user attached is sent while the user goes on.
//
// The buffer is a list of pieces in use, in address order; a piece is free again once its send is complete.
// Each message needs its bytes and the ABI's MPI_BSEND_OVERHEAD at most (here: alignment only).

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/send.hpp"

namespace rb2::mpi {
namespace {

constexpr std::size_t kAlignment = 64;
static_assert(kAlignment <= MPI_BSEND_OVERHEAD);

class SendBuffer {
  public:
    void attach(void* base, std::size_t bytes) {
        base_ = static_cast<std::byte*>(base);
        bytes_ = bytes;
    }
    [[nodiscard]] bool attached() const noexcept { return base_ != nullptr; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Waits until nothing in the buffer is on its way, and gives it back.
    void* detach() {
        detaching_ = true;
        while (!pieces_.empty()) {
            // Another thread may send more while this waits.
            pt2pt::Request* const operation = pieces_.back().operation;
            engine().wait(*operation);
            engine().release(operation);
            std::erase_if(pieces_, [=](const Piece& piece) { return piece.operation == operation; });
        }
        detaching_ = false;
        bytes_ = 0;
        return std::exchange(base_, nullptr);
    }

    /// Where `bytes` fit, or null. Frees what has been sent.
    std::byte* find_room(std::size_t bytes) {
        engine().progress();
        std::erase_if(pieces_, [this](const Piece& piece) {
            if (detaching_ || !piece.operation->complete()) return false;
            engine().release(piece.operation);
            return true;
        });
        std::size_t offset = 0;
        for (const Piece& piece : pieces_) {
            if (piece.offset - offset >= bytes) break;
            offset = aligned(piece.offset + piece.bytes);
        }
        return offset + bytes <= bytes_ ? base_ + offset : nullptr;
    }

    /// Keeps `at` (from find_room()) until `operation` is complete.
    void hold(const std::byte* at, std::size_t bytes, pt2pt::Request* operation) {
        const Piece piece{static_cast<std::size_t>(at - base_), bytes, operation};
        const auto behind = std::find_if(pieces_.begin(), pieces_.end(),
                                         [&](const Piece& other) { return other.offset > piece.offset; });
        pieces_.insert(behind, piece);
    }

  private:
    struct Piece {
        std::size_t offset;
        std::size_t bytes;
        pt2pt::Request* operation;
    };
    static std::size_t aligned(std::size_t offset) {
        return (offset + kAlignment - 1) / kAlignment * kAlignment;
    }

    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
    bool detaching_ = false;     // detach() gives back the pieces
    std::vector<Piece> pieces_;  // in use, by offset
};
SendBuffer send_buffer;

[[gnu::cold]] int fail_no_room(const MessageCall& call, const Comm& comm, std::size_t bytes) {
    return fail(
        MPI_ERR_BUFFER, call.function,
        send_buffer.attached()
            ? fmt::format("no room for {} bytes in the attached buffer of {}: attach a larger one", bytes,
                          send_buffer.bytes())
            : fmt::format("no buffer is attached for a message of {} bytes: call MPI_Buffer_attach", bytes),
        &comm);
}

}  // namespace

int bsend(const MessageCall& call) {
    AnyMessage message;
    if (!accept_any(Direction::send, call, message)) return refuse(Direction::send, call);
    return bsend(call, message);
}

int bsend(const MessageCall& call, const AnyMessage& message) {
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const std::size_t bytes = message.data.bytes;
    std::byte* const copy = send_buffer.attached() ? send_buffer.find_room(bytes) : nullptr;
    if (copy == nullptr) return fail_no_room(call, *message.comm, bytes);
    pack(message.data, copy);
    pt2pt::Request* const operation = communicator.engine().isend(
        std::span<const std::byte>(copy, bytes), message.world_peer, communicator.context(), call.tag);
    if (operation == nullptr) return fail_send(call, *message.comm, Status::out_of_memory);
    if (!pt2pt::Engine::is_immediate(operation)) send_buffer.hold(copy, bytes, operation);
    return MPI_SUCCESS;
}

namespace {

/// Complete at once for the user: the copy is the library's business.
int ibsend(const MessageCall& call, MPI_Request* request) {
    const int error = bsend(call);
    *request = error == MPI_SUCCESS ? handle_of(shared_requests.complete_send) : MPI_REQUEST_NULL;
    return error;
}

int buffer_attach(const char* function, void* buffer, std::int64_t size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (size < 0) return fail(MPI_ERR_ARG, function, fmt::format("the size is {} bytes", size));
    if (buffer == nullptr) return fail(MPI_ERR_BUFFER, function, "the buffer is a null pointer");
    if (send_buffer.attached())
        return fail(MPI_ERR_BUFFER, function, "a buffer is attached already: detach it first");
    send_buffer.attach(buffer, static_cast<std::size_t>(size));
    return MPI_SUCCESS;
}

template <class Count>
int buffer_detach(const char* function, void* buffer_address, Count* size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    *size = static_cast<Count>(send_buffer.bytes());
    *static_cast<void**>(buffer_address) = send_buffer.detach();
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Bsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return bsend({"MPI_Bsend", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Bsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return bsend({"MPI_Bsend_c", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Ibsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return ibsend({"MPI_Ibsend", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Ibsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return ibsend({"MPI_Ibsend_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Buffer_attach, void* buffer, int size) {
    return buffer_attach("MPI_Buffer_attach", buffer, size);
}
RB2_MPI_DEFINE(int, Buffer_attach_c, void* buffer, MPI_Count size) {
    return buffer_attach("MPI_Buffer_attach_c", buffer, size);
}
RB2_MPI_DEFINE(int, Buffer_detach, void* buffer_addr, int* size) {
    return buffer_detach("MPI_Buffer_detach", buffer_addr, size);
}
RB2_MPI_DEFINE(int, Buffer_detach_c, void* buffer_addr, MPI_Count* size) {
    return buffer_detach("MPI_Buffer_detach_c", buffer_addr, size);
}
