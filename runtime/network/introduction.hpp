#pragma once
// How two ranks that have no connection yet come to have one, by words that may be lost, doubled and late.
// One for each peer, at both sides alike. Pure: no clock, no network.
//
// Every word carries what the other side needs to connect. A side connects at the first word it hears, and
// is sure once it hears that the other has connected, too: from then on nothing that it sends meets a peer
// that is not ready, which would look like a dead one. Who is not sure says so again and again; who hears
// somebody that is not sure answers. Both may begin at the same time: each side has one end of one connection
// to give, so there is nothing to choose between.
//
//   A                                 B
//   -- {}                       -->   connects
//   <- {connected}              ---
//   is sure
//   -- {connected, sure}        -->   is sure

#include <algorithm>
#include <chrono>

namespace rb2::network {

class Introduction {
  public:
    using Clock = std::chrono::steady_clock;
    /// A peer that computes hears nothing, however long: it is asked ever more seldom, but for ever.
    static constexpr std::chrono::milliseconds kFirstPause{20};
    static constexpr std::chrono::milliseconds kLongestPause{500};

    /// The part of a word that changes.
    struct Word {
        bool connected = false;  ///< the speaker has connected to the listener
        bool sure = false;       ///< and knows that the listener has, too: wants no answer

        friend bool operator==(const Word&, const Word&) = default;
    };

    /// This side wants the connection: says its first word at the next due().
    void begin(Clock::time_point now) noexcept {
        if (!sure_) next_ = std::min(next_, now);
    }
    /// Whether to say word() now. Then asks for the next time.
    [[nodiscard]] bool due(Clock::time_point now) noexcept {
        if (now < next_) return false;
        next_ = now + pause_;
        pause_ = std::min(2 * pause_, kLongestPause);
        return true;
    }
    /// A word has come, and this side has connected if it had not. Whether to answer with word().
    [[nodiscard]] bool heard(const Word& theirs, Clock::time_point now) noexcept {
        connected_ = true;
        sure_ = sure_ || theirs.connected;
        next_ = sure_ ? Clock::time_point::max() : now + pause_;
        return !theirs.sure;
    }

    [[nodiscard]] Word word() const noexcept { return {connected_, sure_}; }
    [[nodiscard]] bool connected() const noexcept { return connected_; }
    /// Whether this side may use the connection.
    [[nodiscard]] bool sure() const noexcept { return sure_; }

  private:
    bool connected_ = false;
    bool sure_ = false;
    Clock::time_point next_ = Clock::time_point::max();
    std::chrono::milliseconds pause_ = kFirstPause;
};

}  // namespace rb2::network
