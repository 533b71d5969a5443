#pragma once
// The second channel of a detached bell: how the receiver hears that an earlier write is complete. Footnote a
// of Table 2: whether the receiver can block depends on it.

#include <cstdint>

#include "runtime/channel/channel.hpp"

namespace rb2::channel {

/// A bell that goes behind a message.
struct PendingBell {
    fabric::Remote place{};    ///< of the bell at the receiver
    std::uint64_t word = 0;    ///< what is written there, or
    std::uint32_t notice = 0;  ///< the immediate value that says the same
    Ticket ticket = 0;
};

namespace second {

/// A WRITE of one word into memory that the receiver polls.
struct Polled {
    static constexpr bool kNotifies = false;

    template <fabric::Endpoint E>
    static Status ring(E& endpoint, const PendingBell& bell) noexcept {
        static_assert(E::kCapabilities.inline_bytes >= kWordBytes, "the word is gone when the call returns");
        const fabric::Source word{reinterpret_cast<const std::byte*>(&bell.word), sizeof bell.word};
        return endpoint.write(word, bell.place, fabric::Signal{bell.ticket});
    }
};

/// An immediate value without payload: a completion at the receiver, which can be waited for.
struct Notified {
    static constexpr bool kNotifies = true;

    template <fabric::Endpoint E>
    static Status ring(E& endpoint, const PendingBell& bell) noexcept {
        return endpoint.write_with_imm({}, {}, bell.notice, fabric::Signal{bell.ticket});
    }
};

}  // namespace second

/// Rings behind messages. When the endpoint's queue takes the message and not the bell, the bell waits here:
/// the message is on its way and cannot be taken back.
template <class Second>
class Ringer {
  public:
    template <fabric::Endpoint E>
    void ring(E& endpoint, const PendingBell& bell) noexcept {
        bell_ = bell;
        waiting_ = true;
        static_cast<void>(finish(endpoint));  // tried again before anything else is sent
    }

    /// ok: no bell waits. would_block, peer_lost.
    template <fabric::Endpoint E>
    Status finish(E& endpoint) noexcept {
        if (!waiting_) return Status::ok;
        if (const Status status = Second::ring(endpoint, bell_); status != Status::ok) return status;
        waiting_ = false;
        return endpoint.flush();
    }

  private:
    PendingBell bell_{};
    bool waiting_ = false;
};

}  // namespace rb2::channel
