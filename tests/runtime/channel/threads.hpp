#pragma once
// Two senders and their receiver in threads of their own, over shared memory (run under TSan as well). A file
// for each family instantiates it.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/channel/drive.hpp"

namespace rb2::channel::test {

template <class C>
class Threads : public testing::Test {
  protected:
    static constexpr std::uint32_t kMessages = 600;
    static constexpr std::size_t kSenders = 2;
    static constexpr Parameters kSizes{.slots = 8, .message_bytes = 200, .ring_bytes = 4096};
    using Wire = ShmWire;
    using P = Pair<C, Wire>;

    void send_all(P& pair, const std::stop_token& stop) {
        for (std::uint32_t number = 0; number < kMessages && !stop.stop_requested();) {
            const Status status = pair.send(number, length_of<C>(number, pair.sender.max_bytes()));
            if (status == Status::ok) {
                ++number;
            } else if (status == Status::would_block) {
                std::this_thread::yield();
            } else {
                failed_ = true;
                return;
            }
        }
        while (!pair.progress_sender() && !stop.stop_requested()) std::this_thread::yield();
    }

    /// The next message of one sender. False when there is none.
    bool receive(Inbox<C, Wire>& inbox, std::uint32_t& received, std::size_t max_bytes) {
        std::vector<std::byte> bytes;
        const Status status = inbox.take(bytes);
        if (status == Status::would_block) return false;
        const bool good = status == Status::ok && bytes.size() == length_of<C>(received, max_bytes) &&
                          is_message(received, bytes) && inbox.give_back(0) == Status::ok;
        if (!good) failed_ = true;
        ++received;
        return true;
    }

    std::atomic<bool> failed_{false};
};

TYPED_TEST_SUITE_P(Threads);

TYPED_TEST_P(Threads, EveryMessageArrivesWholeAndInOrder) {
    using Wire = typename TestFixture::Wire;
    Fan<TypeParam, Wire> fan(this->kSenders, this->kSizes);
    std::deque<Inbox<TypeParam, Wire>> inboxes;
    std::vector<std::uint32_t> received(this->kSenders, 0);
    for (auto& pair : fan.pairs) inboxes.emplace_back(*pair, fan.b, pair->sender.max_bytes());
    std::vector<std::jthread> senders;
    for (auto& pair : fan.pairs) {
        senders.emplace_back(
            [this, &one = *pair](const std::stop_token& stop) { this->send_all(one, stop); });
    }
    const auto all_there = [&] {
        return std::ranges::all_of(received, [this](std::uint32_t n) { return n == this->kMessages; });
    };
    while (!all_there() && !this->failed_) {
        bool moved = false;
        for (std::size_t i = 0; i < fan.pairs.size(); ++i) {
            if (received[i] < this->kMessages)
                moved = this->receive(inboxes[i], received[i], fan[i].sender.max_bytes()) || moved;
        }
        if (!moved) std::this_thread::yield();
    }
    EXPECT_FALSE(this->failed_) << received[0] << " and " << received[1] << " messages had come";
}

REGISTER_TYPED_TEST_SUITE_P(Threads, EveryMessageArrivesWholeAndInOrder);

}  // namespace rb2::channel::test
