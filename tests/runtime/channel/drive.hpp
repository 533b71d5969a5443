#pragma once
// Drives channels through an interleaving of their sides and of the wire that follows from a seed.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "tests/runtime/channel/pair.hpp"

namespace rb2::channel::test {

/// A tuple as GoogleTest wants it.
template <class Tuple>
struct AsTypes;
template <class... T>
struct AsTypes<std::tuple<T...>> {
    using type = testing::Types<T...>;
};

/// Length of message `number`: any where lengths vary, but long enough to tell the number.
template <class C>
std::size_t length_of(std::uint32_t number, std::size_t max_bytes) {
    if (!C::kTraits.variable_size) return max_bytes;
    const std::uint64_t dice = rb2::test::mixed(number + 1);
    const std::size_t limit = dice % 8 == 0 ? max_bytes : std::min<std::size_t>(max_bytes, 64);
    return std::max<std::size_t>(sizeof number, (dice >> 8) % (limit + 1));
}

/// The receiving side of a pair in a test: takes messages, keeps some a while, gives them back in any order.
/// Receivers that fill a sink keep nothing.
template <class C, class Wire>
class Inbox {
    using P = Pair<C, Wire>;
    using R = typename P::Receiver;

  public:
    Inbox(P& pair, Window& window, std::size_t max_bytes) : pair_(pair) {
        if constexpr (!ReceiverChannel<R>) {
            std::size_t bytes = max_bytes;
            if constexpr (requires { pair.receiver().fetch_bytes(); }) bytes = pair.receiver().fetch_bytes();
            sink_ = window.take(bytes);
            region_.emplace(pair.wire.data_b().register_memory(sink_));
        }
    }

    /// The next message, or what receive() says.
    Status take(std::vector<std::byte>& bytes) {
        if constexpr (ReceiverChannel<R>) {
            Message message;
            const Status status = pair_.receiver().receive(message);
            if (status != Status::ok) return status;
            bytes.assign(message.bytes.begin(), message.bytes.end());
            held_.push_back(message);
        } else {
            std::size_t length = 0;
            const Status status =
                pair_.receiver().receive_into({sink_.data(), sink_.size(), region_->key()}, length);
            if (status != Status::ok) return status;
            bytes.assign(sink_.begin(), sink_.begin() + static_cast<std::ptrdiff_t>(length));
        }
        return Status::ok;
    }

    [[nodiscard]] std::size_t held() const { return held_.size(); }
    /// Gives one of the held messages back.
    Status give_back(std::uint64_t choice) {
        if (held_.empty()) return Status::ok;
        std::swap(held_[choice % held_.size()], held_.back());
        const Message message = held_.back();
        held_.pop_back();
        if constexpr (ReceiverChannel<R>) return pair_.receiver().free(message);
        return Status::ok;
    }

  private:
    P& pair_;
    std::vector<Message> held_;
    std::span<std::byte> sink_;
    std::optional<typename P::Endpoint::Region> region_;
};

struct Outcome {
    std::uint64_t received = 0;
    std::uint64_t wrong = 0;  ///< torn, repeated, out of order where order is promised
    bool lost = false;        ///< a side has found its peer lost
    bool stuck = false;       ///< nothing moved although messages are missing

    [[nodiscard]] bool good() const { return wrong == 0 && !lost && !stuck; }
};

/// A fabric that lets messages overtake each other lets them arrive in any order on some channels.
template <class Wire>
inline constexpr bool kInOrder = Wire::Endpoint::kCapabilities.ordered_messages;

/// Sends `count` messages over each pair of `fan`, each side doing one thing at a time.
template <class C, class Wire>
class Drive {
  public:
    Drive(Fan<C, Wire>& fan, std::uint32_t count, std::uint64_t seed) : count_(count), random_(seed) {
        for (auto& pair : fan.pairs) lanes_.emplace_back(*pair, fan.b);
    }

    Outcome run() {
        constexpr int patience = 20'000;
        for (int idle = 0; !finished() && !outcome_.lost; idle = act() ? 0 : idle + 1) {
            if (idle == patience) {
                outcome_.stuck = true;
                break;
            }
        }
        return outcome_;
    }

  private:
    struct Lane {
        Lane(Pair<C, Wire>& p, Window& window) : pair(p), inbox(p, window, p.sender.max_bytes()) {}
        Pair<C, Wire>& pair;
        Inbox<C, Wire> inbox;
        std::uint32_t sent = 0;
        std::uint32_t received = 0;
        std::set<std::uint32_t> seen{};
    };

    [[nodiscard]] bool finished() {
        return std::ranges::all_of(lanes_, [this](Lane& lane) {
            return lane.received == count_ && lane.inbox.held() == 0 && lane.pair.progress_sender();
        });
    }

    /// True when something moved.
    bool act() {
        Lane& lane = lanes_[random_() % lanes_.size()];
        switch (random_() % 4) {
            case 0:
                return send(lane);
            case 1:
                // No progress by itself: a receiver that looks for a message by READ keeps the wire busy.
                static_cast<void>(lane.pair.wire.step());
                return false;
            case 2:
                return receive(lane);
            default:
                return lane.inbox.held() != 0 && note(lane.inbox.give_back(random_()));
        }
    }

    bool send(Lane& lane) {
        static_cast<void>(lane.pair.progress_sender());
        if (lane.sent == count_) return false;
        const std::size_t bytes = length_of<C>(lane.sent, lane.pair.sender.max_bytes());
        const bool sent = note(lane.pair.send(lane.sent, bytes));
        lane.sent += sent ? 1 : 0;
        return sent;
    }

    bool receive(Lane& lane) {
        std::vector<std::byte> bytes;
        if (!note(lane.inbox.take(bytes))) return false;
        const std::uint32_t number = kInOrder<Wire> ? lane.received : number_of(bytes);
        const bool good = number < lane.sent && lane.seen.insert(number).second &&
                          bytes.size() == length_of<C>(number, lane.pair.sender.max_bytes()) &&
                          is_message(number, bytes);
        outcome_.wrong += good ? 0 : 1;
        ++outcome_.received;
        ++lane.received;
        return true;
    }

    bool note(Status status) {
        outcome_.lost = outcome_.lost || (status != Status::ok && status != Status::would_block);
        return status == Status::ok;
    }

    std::uint32_t count_;
    std::mt19937_64 random_;
    std::deque<Lane> lanes_;
    Outcome outcome_;
};

}  // namespace rb2::channel::test
