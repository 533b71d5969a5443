#pragma once
// A message that arrived before its receive: envelope, bookkeeping, and the bytes at their exact size, in one
// block.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "pt2pt/matching/matcher.hpp"
#include "pt2pt/protocol/wire.hpp"
#include "pt2pt/request.hpp"

namespace rb2::pt2pt {

struct Unexpected : matching::UnexpectedEntry {
    Sink sink;                       ///< storage behind this struct; `capacity` bytes of it are kept
    Request* self_sender = nullptr;  ///< message to self that still lies in its sender's buffer
    const std::byte* self_source = nullptr;
    wire::FirstHeader first{};  ///< of a message that came in several records

    [[nodiscard]] bool wants_cts() const noexcept { return (first.flags & wire::kWantsCts) != 0; }

    /// Bytes charged to the peer's budget.
    [[nodiscard]] std::uint64_t charge() const noexcept { return sizeof(Unexpected) + sink.capacity; }
    /// All bytes that come without a CTS are here.
    [[nodiscard]] bool settled() const noexcept { return sink.received >= sink.capacity; }
};

struct UnexpectedDeleter {
    void operator()(Unexpected* message) const noexcept {
        message->~Unexpected();
        ::operator delete(message);
    }
};
using UnexpectedPtr = std::unique_ptr<Unexpected, UnexpectedDeleter>;

/// A message with room for `stored` of its `total` bytes; null when memory is exhausted.
[[nodiscard]] inline UnexpectedPtr make_unexpected(matching::Envelope envelope, std::uint64_t total,
                                                   std::uint64_t stored) noexcept {
    void* block = ::operator new(sizeof(Unexpected) + stored, std::nothrow);
    if (block == nullptr) return nullptr;
    UnexpectedPtr message(new (block) Unexpected);
    message->envelope = envelope;
    message->sink = {reinterpret_cast<std::byte*>(message.get() + 1), stored, 0, total};
    return message;
}

}  // namespace rb2::pt2pt
