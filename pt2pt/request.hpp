#pragma once
// One outstanding send or receive. Requests live in a RequestPool; their addresses and ids are stable.

#include <cstddef>
#include <cstdint>
#include <span>

#include "pt2pt/matching/matcher.hpp"
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

class Request : public matching::PostedEntry {
  public:
    enum class Kind : std::uint8_t { idle, send, receive };

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

    bool complete_ = false;
    Kind kind_ = Kind::idle;
    bool synchronous_ = false;      // a send that completes only once it is matched
    bool matched_ = false;          // send: the receiver has answered with CTS; receive: taken by a message
    bool free_when_complete_ = false;
    std::uint32_t id_ = 0;
    std::uint32_t remote_id_ = 0;   // the peer's request, named in CTS and data records
    std::int32_t peer_ = -1;        // world rank this request exchanges data with
    Request* next_ = nullptr;       // peer's send queue, or its queue of CTS still to be sent, or free list

    MessageInfo info_;
    Sink sink_;                     // receive
    InPlaceHandler handler_;        // receive in place, else null
    const std::byte* source_ = nullptr;  // send: user's bytes, owned by the caller until complete
    std::uint64_t sent_ = 0;             // send: bytes already in the ring
};

}  // namespace rb2::pt2pt
