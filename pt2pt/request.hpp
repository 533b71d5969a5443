#pragma once
// One outstanding send or receive, or a group of them. Requests live in a RequestPool; their addresses and
// ids are stable.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "datatype/copy.hpp"
#include "datatype/layout.hpp"
#include "pt2pt/matching/matcher.hpp"
#include "runtime/network/channel.hpp"
#include "runtime/status.hpp"

namespace rb2::pt2pt {

constexpr int kAnySource = matching::kAnySource;
constexpr int kAnyTag = matching::kAnyTag;

/// What a completed receive, probe or wait reports. `source` is a world rank.
struct MessageInfo {
    std::int32_t source = kAnySource;
    std::int32_t tag = kAnyTag;
    std::uint64_t bytes = 0;  ///< payload bytes of the message, also when it was truncated
    Status status = Status::ok;
    bool cancelled = false;
};

/// Called with a received message where it lies (ring slot or unexpected buffer); the bytes are valid
/// during the call only. The handler must not call back into the engine.
struct InPlaceHandler {
    void (*call)(void* argument, const MessageInfo& info, std::span<const std::byte> message) = nullptr;
    void* argument = nullptr;
};

/// Where the bytes of an incoming message go, in order. Bytes past `capacity` are counted and dropped.
struct Sink {
    std::byte* base = nullptr;
    std::uint64_t capacity = 0;
    std::uint64_t received = 0;
    std::uint64_t total = 0;  ///< bytes of the whole message
};

/// Memory with gaps to send from, as elements of a layout; `bytes` is their data. The engine keeps its own
/// reference to the layout while it needs it.
struct Gather {
    const std::byte* memory = nullptr;
    const datatype::Layout* layout = nullptr;
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint64_t size() const noexcept { return bytes; }
};
/// The same to receive into.
struct Scatter {
    std::byte* memory = nullptr;
    const datatype::Layout* layout = nullptr;
    std::uint64_t bytes = 0;
};

/// What the short way of a receive uses lies in the first two cache lines.
class alignas(64) Request : public matching::PostedEntry {
  public:
    /// A group is an operation of several messages.
    enum class Kind : std::uint8_t { idle, send, receive, group };

    Request() = default;

    /// The one request that stands for all sends complete at once. It lives in librb2, so that it is one
    /// object for every library that inlines the engine.
    static Request& immediate() noexcept { return shared_immediate; }

    /// True once the operation is finished and `info` is final.
    [[nodiscard]] bool complete() const noexcept { return complete_; }
    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] const MessageInfo& info() const noexcept { return info_; }
    /// Number by which the peer names this request in control messages.
    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }

  private:
    template <class Transport>
    friend class BasicEngine;
    friend class RequestPool;

    Request(Kind kind, bool complete) : complete_(complete), kind_(kind) {}
    static Request shared_immediate;

    /// What a request may own until it is given back: one pointer, so that ending a plain request is one
    /// test.
    using Owned = std::unique_ptr<void, void (*)(void*) noexcept>;

    /// The memory of this operation has gaps.
    void set_layout(const datatype::Layout& layout) noexcept {
        layout_ = datatype::LayoutRef(&layout).release();
        owns_ = true;
        owned_ = Owned(this, [](void* request) noexcept {
            datatype::LayoutRef::drop(std::exchange(static_cast<Request*>(request)->layout_, nullptr));
        });
    }
    /// Room for a message that is to be handed over in one piece. Null when memory is exhausted.
    std::byte* make_assembly(std::size_t bytes) noexcept {
        auto* const assembly = new (std::nothrow) std::byte[bytes];
        owns_ = true;
        owned_ = Owned(assembly, [](void* array) noexcept { delete[] static_cast<std::byte*>(array); });
        return assembly;
    }

    void set_handler(InPlaceHandler handler) noexcept {
        handled_ = true;
        handler_ = handler;
    }

    /// Back to a fresh request of `kind`; the number stays. What only sends or only matched receives use is
    /// set where those begin.
    void reset(Kind kind) noexcept {
        complete_ = synchronous_ = matched_ = free_when_complete_ = false;
        started_ = wants_cts_ = answer_queued_ = pulled_ = refused_ = timed_ = announced_ = follows_ = false;
        unused_ = 0;
        handled_ = owns_ = false;
        kind_ = kind;
        peer_ = -1;
    }
    /// Receive: where the bytes go.
    void receive_into(std::span<std::byte> buffer) noexcept {
        sink_.base = buffer.data();
        sink_.capacity = buffer.size();
    }
    /// Receive: a whole message comes, into the buffer or to the handler.
    [[gnu::always_inline]] void take(matching::Envelope from, std::span<const std::byte> message) {
        if (takes_as_it_is(message.size())) [[likely]]
            place(from, message);
        else
            take_otherwise(from, message);
    }
    /// Whether the message need only be copied.
    [[nodiscard]] bool takes_as_it_is(std::size_t bytes) const noexcept {
        return !handled_ && bytes <= sink_.capacity;
    }
    [[gnu::always_inline]] void place(matching::Envelope from, std::span<const std::byte> message) noexcept {
        info_ = {from.source, from.tag(), message.size(), Status::ok, false};
        copy_payload(sink_.base, message.data(), message.size());
    }
    void take_otherwise(matching::Envelope from, std::span<const std::byte> message);
    /// Receive: a message has taken it.
    [[nodiscard]] bool taken() const noexcept { return matched_ || complete_; }

    // With peer_ eight bytes, so that reset() is one store.
    bool complete_ = false;
    Kind kind_ = Kind::idle;
    bool matched_ : 1 = false;             // send: the receiver answered with CTS; receive: see taken()
    bool free_when_complete_ : 1 = false;  // the user has let go of it
    bool handled_ : 1 = false;             // receive in place or into memory with gaps: handler_ is set
    bool owns_ : 1 = false;                // owned_ is set
    bool synchronous_ : 1 = false;         // a send that completes only once it is matched
    bool started_ : 1 = false;             // send: its first record is in the ring
    bool wants_cts_ : 1 = false;           // send: it needs the receiver's CTS before it can complete
    bool answer_queued_ : 1 = false;       // receive: its CTS or FIN has not been sent yet
    bool pulled_ : 1 = false;              // receive: read from the sender's memory, so the answer is a FIN
    bool refused_ : 1 = false;             // receive: reading the sender's memory failed
    bool timed_ : 1 = false;               // receive: came through the ring by choice
    bool announced_ : 1 = false;           // send: the record behind its direct write is in the ring
    bool follows_ : 1 = false;             // send: comes behind its first record, outside the ring
    std::uint16_t unused_ : 3 = 0;         // named, so that reset() need not keep what is there
    std::int32_t peer_ = -1;               // world rank this request exchanges data with
    std::uint32_t id_ = 0;
    Request* next_ = nullptr;  // in the peer's send queue, its CTS queue, or the free list; of a group
                               // the part it waits for
    MessageInfo info_;
    Sink sink_;  // receive: where the bytes go

    InPlaceHandler handler_;                    // if handled_
    Owned owned_{nullptr, nullptr};             // reference to layout_, or the assembly of a receive in place
    std::uint32_t remote_id_ = 0;               // the peer's request, named in CTS and data records
    const datatype::Layout* layout_ = nullptr;  // of memory with gaps; null: bytes one behind the other
    const std::byte* source_ = nullptr;         // send: user's memory, owned by the caller until complete
    std::uint64_t sent_ = 0;                    // send: bytes already in the ring
    std::uint64_t answered_ns_ = 0;             // receive: when its CTS went out, if timed
    std::uint64_t eager_bytes_ = 0;             // send: bytes that go without a CTS
    std::unique_ptr<network::Pin> pin_;         // receive: the buffer, while the sender writes into it
    std::unique_ptr<network::Transfer> transfer_;  // send: being written into the receiver's buffer
};

}  // namespace rb2::pt2pt
