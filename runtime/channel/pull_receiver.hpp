#pragma once
// The receiving half of the channels whose receiver fetches the message by READ. Protocols paper, sections
// 4.5 and 4.6. How it learns of the message is the bell's business:
//
//     class Bell {
//         static constexpr Needs needs(const Parameters&);
//         Bell(const Side<E>&);
//         fabric::Remote remote();                   // the bell's memory, for the peer
//         void connect(const Card& peer);
//         bool take(const fabric::Completion&);      // whether it is the bell's own
//         Status look(std::uint64_t number, Offer&); // ok: message `number` is there; would_block; peer_lost
//         const std::byte* at_hand();                // optional: the message, if look() has fetched it, too
//     };

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/fetch.hpp"
#include "runtime/channel/offer.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"

namespace rb2::channel {

/// After how many messages, or bytes of them with a word each, the sender hears that they are read.
struct CreditPace {
    std::uint64_t messages = 1;
    std::uint64_t bytes = 1;
};

/// C: the channel, with credit_pace(parameters). The credit word is how many messages have been read.
template <class C, class Bell, fabric::Endpoint E>
class PullReceiver {
    static_assert(require_supported<C, E>());

  public:
    explicit PullReceiver(const Side<E>& side)
        : data_(side.data),
          max_bytes_(validate(side.parameters).message_bytes),
          pace_(C::credit_pace(side.parameters)),
          bell_(side),
          credit_(*side.credit, 1) {}
    PullReceiver(const PullReceiver&) = delete;
    PullReceiver& operator=(const PullReceiver&) = delete;

    [[nodiscard]] Card card() const noexcept { return {.data = bell_.remote(), .credit = {}}; }
    void connect(const Card& peer) noexcept {
        bell_.connect(peer);
        credit_.connect(peer.credit);
    }

    /// Length of the next message, for a caller who chooses the sink by it. would_block: none is there.
    Status next(std::size_t& bytes) noexcept {
        harvest();
        if (!offered_) {
            const Status status = lost_ ? Status::peer_lost : bell_.look(number_, offer_);
            if (status != Status::ok) return noted(status);
            // The peer wrote the length: a message may not be longer than both sides agreed.
            if (offer_.bytes > max_bytes_) return noted(Status::peer_lost);
            offered_ = true;
        }
        bytes = offer_.bytes;
        return Status::ok;
    }

    Status receive_into(fabric::Sink sink, std::size_t& bytes) noexcept {
        credit_.progress();
        if (const Status status = next(bytes); status != Status::ok) return status;
        if (!fetch_.under_way() && !fetched_) {
            const Status status = start({sink.data, std::min<std::size_t>(sink.bytes, bytes), sink.key});
            if (status != Status::ok) return noted(status);
        }
        harvest();
        if (lost_) return Status::peer_lost;
        if (!fetched_) return Status::would_block;
        finish();
        return bytes > sink.bytes ? Status::truncated : Status::ok;
    }

  private:
    Status start(fabric::Sink sink) noexcept {
        fetched_ = sink.bytes == 0 || copied(sink);  // nothing to fetch
        return fetched_ ? Status::ok : fetch_.start(*data_, sink, offer_.place);
    }

    bool copied(fabric::Sink sink) noexcept {
        if constexpr (requires { bell_.at_hand(); }) {
            if (bell_.at_hand() == nullptr) return false;
            std::memcpy(sink.data, bell_.at_hand(), sink.bytes);
            return true;
        } else {
            return false;
        }
    }

    void finish() noexcept {
        offered_ = false;
        fetched_ = false;
        ++number_;
        unreported_.messages += 1;
        unreported_.bytes += kWordBytes + word_aligned(offer_.bytes);
        if (unreported_.messages < pace_.messages && unreported_.bytes < pace_.bytes) return;
        unreported_ = {0, 0};
        credit_.freed(1, number_);
    }

    void harvest() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
            if (!fetch_.take(done)) static_cast<void>(bell_.take(done));
        });
        if (fetch_.arrived()) fetched_ = true;
        lost_ = lost_ || credit_.lost();
    }

    Status noted(Status status) noexcept {
        lost_ = lost_ || (status != Status::ok && status != Status::would_block);
        return lost_ ? Status::peer_lost : status;
    }

    static constexpr std::uint64_t kMessageTicket = 1;  // the bells use others

    E* data_;
    std::size_t max_bytes_;
    CreditPace pace_;
    Bell bell_;
    CreditReturn<E> credit_;
    Fetch fetch_{kMessageTicket};
    Offer offer_{};
    std::uint64_t number_ = 0;  ///< of the next message
    CreditPace unreported_{0, 0};
    bool offered_ = false;
    bool fetched_ = false;
    bool lost_ = false;
};

inline constexpr std::uint64_t kBellTicket = 2;  ///< of a bell's own READ

/// The sink of a bell that is fetched by READ, and the READ.
template <fabric::Endpoint E>
class BellFetch {
  public:
    static constexpr std::size_t kBytes = kMemoryAlignment;

    explicit BellFetch(const Side<E>& side, std::size_t bytes = kBytes)
        : data_(side.data), sink_(*side.data, side.memory.data, bytes) {}

    /// Starts the next look at `from` unless one is under way. would_block, or peer_lost.
    Status start(fabric::Remote from, std::size_t bytes) noexcept {
        if (fetch_.under_way()) return Status::would_block;
        const Status status = fetch_.start(*data_, {sink_.data(), bytes, sink_.key()}, from);
        return status == Status::ok ? Status::would_block : status;
    }
    bool take(const fabric::Completion& done) noexcept { return fetch_.take(done); }
    [[nodiscard]] bool under_way() const noexcept { return fetch_.under_way(); }
    /// True once for each look that has arrived: then words() are what was seen.
    [[nodiscard]] bool arrived() noexcept { return fetch_.arrived(); }
    [[nodiscard]] std::uint64_t* words() const noexcept { return sink_.words(); }

  private:
    E* data_;
    Registered<E> sink_;
    Fetch fetch_{kBellTicket};
};

}  // namespace rb2::channel
