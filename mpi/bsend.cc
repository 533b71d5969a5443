// Buffered sends: a copy of the message in memory the user attached is sent while the user goes on.
//
// The buffer is a list of pieces in use, in address order; a piece is free again once its send is complete.
// Each message needs its bytes and the ABI's MPI_BSEND_OVERHEAD at most (here: alignment only).

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/send.hpp"
#include "mpi/send_buffer.hpp"

namespace rb2::mpi {
namespace {

constexpr std::size_t kAlignment = 64;
static_assert(kAlignment <= MPI_BSEND_OVERHEAD);

class SendBuffer {
  public:
    /// MPI_BUFFER_AUTOMATIC: memory is taken as messages need it.
    void attach(void* base, std::size_t bytes) {
        base_ = static_cast<std::byte*>(base);
        bytes_ = automatic() ? 0 : bytes;
    }
    [[nodiscard]] bool attached() const noexcept { return base_ != nullptr; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
    /// Whether none of the first `count` messages is on its way.
    [[nodiscard]] bool sent(std::uint64_t count) const noexcept {
        return std::all_of(pieces_.begin(), pieces_.end(), [count](const Piece& piece) {
            return piece.number >= count || piece.operation->complete();
        });
    }

    /// Waits until none of the messages so far is on its way. Another thread may send more meanwhile, and
    /// free what has been sent: so this holds on to no operation.
    void flush() {
        const std::uint64_t count = begun_;
        engine().wait_until([this, count] { return sent(count); });
        free_sent();
    }
    /// Waits until nothing in the buffer is on its way, and gives it back.
    void* detach() {
        engine().wait_until([this] { return sent(begun_); });
        free_sent();
        bytes_ = 0;
        return std::exchange(base_, nullptr);
    }

    /// Where `bytes` fit, or null. Frees what has been sent.
    std::byte* find_room(std::size_t bytes) {
        engine().progress();
        free_sent();
        if (automatic()) return take_memory(bytes);
        std::size_t offset = 0;
        for (const Piece& piece : pieces_) {
            if (piece.offset - offset >= bytes) break;
            offset = aligned(piece.offset + piece.bytes);
        }
        return offset + bytes <= bytes_ ? base_ + offset : nullptr;
    }

    /// Keeps `at` (from find_room()) until `operation` is complete.
    void hold(const std::byte* at, std::size_t bytes, pt2pt::Request* operation) {
        const Piece piece{begun_++, at, automatic() ? 0 : static_cast<std::size_t>(at - base_), bytes,
                          operation};
        const auto behind = std::find_if(pieces_.begin(), pieces_.end(),
                                         [&](const Piece& other) { return other.offset > piece.offset; });
        pieces_.insert(behind, piece);
    }

  private:
    struct Piece {
        std::uint64_t number;
        const std::byte* at;
        std::size_t offset;  // from the start of the user's buffer
        std::size_t bytes;
        pt2pt::Request* operation;
    };
    static std::size_t aligned(std::size_t offset) {
        return (offset + kAlignment - 1) / kAlignment * kAlignment;
    }

    void free_sent() {
        std::erase_if(pieces_, [this](const Piece& piece) {
            if (!piece.operation->complete()) return false;
            engine().release(piece.operation);
            own_memory_.erase(piece.at);
            return true;
        });
        if (pieces_.empty()) own_memory_.clear();  // of messages that were sent at once
    }

    [[nodiscard]] bool automatic() const noexcept { return base_ == MPI_BUFFER_AUTOMATIC; }
    std::byte* take_memory(std::size_t bytes) {
        std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes + 1]);
        if (memory == nullptr) return nullptr;
        std::byte* const at = memory.get();
        own_memory_.emplace(at, std::move(memory));
        return at;
    }

    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t begun_ = 0;                                                        // messages so far
    std::vector<Piece> pieces_;                                                      // in use, by offset
    std::unordered_map<const std::byte*, std::unique_ptr<std::byte[]>> own_memory_;  // automatic
};

using SharedBuffer = std::shared_ptr<SendBuffer>;  // with the requests that wait for a flush

/// Of all communicators that have none of their own.
const SharedBuffer& common_buffer() {
    static const SharedBuffer common = std::make_shared<SendBuffer>();
    return common;
}

std::unordered_map<const Comm*, SharedBuffer>& buffers_of_comms() {
    static std::unordered_map<const Comm*, SharedBuffer> all;
    return all;
}

/// Null: the communicator has none of its own.
SharedBuffer own_buffer(const Comm& comm) {
    const auto at = buffers_of_comms().find(&comm);
    return at != buffers_of_comms().end() ? at->second : nullptr;
}

SendBuffer& buffer_for(const Comm& comm) {
    if (buffers_of_comms().empty()) return *common_buffer();
    const SharedBuffer own = own_buffer(comm);
    return own != nullptr ? *own : *common_buffer();
}

/// Complete once all messages that were in the buffer have been sent.
class Flush final : public Special {
  public:
    explicit Flush(SharedBuffer buffer) : buffer_(std::move(buffer)), count_(buffer_->begun()) {}

    [[nodiscard]] bool complete() const noexcept override { return buffer_->sent(count_); }
    void wait(RequestObject&) override {
        engine().wait_until([this] { return complete(); });
    }
    int report(const RequestObject&, MPI_Status* status) override {
        set_empty_status(status);
        return MPI_SUCCESS;
    }
    int finish(const char*, RequestObject&) override { return MPI_SUCCESS; }
    bool let_go(RequestObject&) override { return true; }
    void cancel(RequestObject&) override {}

  private:
    SharedBuffer buffer_;
    std::uint64_t count_;
};

int iflush(const char* function, Comm& comm, const SharedBuffer& buffer, MPI_Request* request) {
    const MessageCall call{function, nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_NULL};
    *request = MPI_REQUEST_NULL;
    if (free_requests == nullptr && !grow_request_pool()) return fail_start(call, comm);
    RequestObject& object = take_object(RequestObject::Kind::send, nullptr, comm, call.count, call.datatype);
    object.special = new Flush(buffer);
    *request = handle_of(object);
    return MPI_SUCCESS;
}

[[gnu::cold]] int fail_no_room(const MessageCall& call, const Comm& comm, const SendBuffer& buffer,
                               std::size_t bytes) {
    return fail(
        MPI_ERR_BUFFER, call.function,
        buffer.attached()
            ? fmt::format("no room for {} bytes in the attached buffer of {}: attach a larger one", bytes,
                          buffer.bytes())
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
    SendBuffer& buffer = buffer_for(*message.comm);
    std::byte* const copy = buffer.attached() ? buffer.find_room(bytes) : nullptr;
    if (copy == nullptr) return fail_no_room(call, *message.comm, buffer, bytes);
    pack(message.data, copy);
    pt2pt::Request* const operation = communicator.engine().isend(
        std::span<const std::byte>(copy, bytes), message.world_peer, communicator.context(), call.tag);
    if (operation == nullptr) return fail_send(call, *message.comm, Status::out_of_memory);
    if (!pt2pt::Engine::is_immediate(operation)) buffer.hold(copy, bytes, operation);
    return MPI_SUCCESS;
}

void forget_send_buffer(const Comm& comm) {
    const auto at = buffers_of_comms().find(&comm);
    if (at == buffers_of_comms().end()) return;
    at->second->detach();
    buffers_of_comms().erase(at);
}

namespace {

/// Complete at once for the user: the copy is the library's business.
int ibsend(const MessageCall& call, MPI_Request* request) {
    const int error = bsend(call);
    *request = error == MPI_SUCCESS ? handle_of(shared_requests.complete_send) : MPI_REQUEST_NULL;
    return error;
}

int attach(const char* function, SendBuffer& to, const Comm* comm, void* buffer, std::int64_t size) {
    if (size < 0) return fail(MPI_ERR_ARG, function, fmt::format("the size is {} bytes", size), comm);
    if (buffer == nullptr) return fail(MPI_ERR_BUFFER, function, "the buffer is a null pointer", comm);
    if (to.attached())
        return fail(MPI_ERR_BUFFER, function, "a buffer is attached already: detach it first", comm);
    to.attach(buffer, static_cast<std::size_t>(size));
    return MPI_SUCCESS;
}

int buffer_attach(const char* function, void* buffer, std::int64_t size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    return attach(function, *common_buffer(), nullptr, buffer, size);
}

int comm_attach(const char* function, MPI_Comm comm, void* buffer, std::int64_t size) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm(function, comm);
    const SharedBuffer own = own_buffer(*found);
    const SharedBuffer to = own != nullptr ? own : std::make_shared<SendBuffer>();
    const int error = attach(function, *to, found, buffer, size);
    if (error == MPI_SUCCESS) buffers_of_comms()[found] = to;
    return error;
}

template <class Count>
int buffer_detach(const char* function, void* buffer_address, Count* size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    *size = static_cast<Count>(common_buffer()->bytes());
    *static_cast<void**>(buffer_address) = common_buffer()->detach();
    return MPI_SUCCESS;
}

template <class Count>
int comm_detach(const char* function, MPI_Comm comm, void* buffer_address, Count* size) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm(function, comm);
    const SharedBuffer own = own_buffer(*found);
    *size = own != nullptr ? static_cast<Count>(own->bytes()) : 0;
    *static_cast<void**>(buffer_address) = own != nullptr ? own->detach() : nullptr;
    buffers_of_comms().erase(found);
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
RB2_MPI_DEFINE(int, Buffer_flush, void) {
    if (const int error = require_running("MPI_Buffer_flush"); error != MPI_SUCCESS) return error;
    common_buffer()->flush();
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Buffer_iflush, MPI_Request* request) {
    if (const int error = require_running("MPI_Buffer_iflush"); error != MPI_SUCCESS) return error;
    return iflush("MPI_Buffer_iflush", *predefined_comms.self, common_buffer(), request);
}
RB2_MPI_DEFINE(int, Comm_attach_buffer, MPI_Comm comm, void* buffer, int size) {
    return comm_attach("MPI_Comm_attach_buffer", comm, buffer, size);
}
RB2_MPI_DEFINE(int, Comm_attach_buffer_c, MPI_Comm comm, void* buffer, MPI_Count size) {
    return comm_attach("MPI_Comm_attach_buffer_c", comm, buffer, size);
}
RB2_MPI_DEFINE(int, Comm_detach_buffer, MPI_Comm comm, void* buffer_addr, int* size) {
    return comm_detach("MPI_Comm_detach_buffer", comm, buffer_addr, size);
}
RB2_MPI_DEFINE(int, Comm_detach_buffer_c, MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
    return comm_detach("MPI_Comm_detach_buffer_c", comm, buffer_addr, size);
}
RB2_MPI_DEFINE(int, Comm_flush_buffer, MPI_Comm comm) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_flush_buffer", comm);
    if (const SharedBuffer own = own_buffer(*found); own != nullptr) own->flush();
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Comm_iflush_buffer, MPI_Comm comm, MPI_Request* request) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_iflush_buffer", comm);
    const SharedBuffer own = own_buffer(*found);
    return iflush("MPI_Comm_iflush_buffer", *found, own != nullptr ? own : std::make_shared<SendBuffer>(),
                  request);
}
