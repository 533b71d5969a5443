#pragma once
// Real threads on shared memory: two senders and the receiver they share, a thread each (run under TSan as
// well). A file for each side's families instantiates it.

#include <gtest/gtest.h>

#include <thread>

#include "tests/runtime/channel/drive.hpp"

namespace rb2::channel::test {

template <class C>
class Threads : public testing::Test {
  protected:
    static constexpr std::uint32_t kMessages = 5'000;
    static constexpr std::size_t kSenders = 2;

    /// Stops early when told to: a receiver that has given up frees nothing.
    static void send_all(Pair<C, ShmWire>& pair, const std::stop_token& stop) {
        const std::size_t most = pair.sender.max_bytes();
        for (std::uint32_t number = 0; number < kMessages && !stop.stop_requested();) {
            const bool sent = pair.send(number, length_of<C>(number, most)) == Status::ok;
            number += sent ? 1 : 0;
            if (!sent) wait(pair);
        }
        while (!pair.progress_sender() && !stop.stop_requested()) std::this_thread::yield();
    }

    /// How many messages were wrong.
    static std::uint64_t receive_all(Fan<C, ShmWire>& fan) {
        std::deque<Inbox<C, ShmWire>> inboxes;
        for (auto& pair : fan.pairs) inboxes.emplace_back(*pair, fan.b, pair->sender.max_bytes());
        std::array<std::uint32_t, kSenders> next{};
        std::uint64_t wrong = 0;
        std::vector<std::byte> bytes;
        while (std::ranges::any_of(next, [](std::uint32_t count) { return count < kMessages; })) {
            bool any = false;
            for (std::size_t i = 0; i < kSenders; ++i) {
                const Status status = inboxes[i].take(bytes);
                if (status == Status::would_block) continue;
                if (status != Status::ok) return ~std::uint64_t{0};
                any = true;
                wrong += is_message(next[i]++, bytes) ? 0 : 1;
                wrong += inboxes[i].give_back(0) == Status::ok ? 0 : 1;
            }
            if (!any) std::this_thread::yield();
        }
        return wrong;
    }

  private:
    static void wait(Pair<C, ShmWire>& pair) {
        static_cast<void>(pair.progress_sender());
        std::this_thread::yield();
    }
};

TYPED_TEST_SUITE_P(Threads);

TYPED_TEST_P(Threads, EveryMessageArrivesWholeAndInOrder) {
    Fan<TypeParam, ShmWire> fan(this->kSenders, {.slots = 8, .message_bytes = 200, .ring_bytes = 2048});
    std::vector<std::jthread> senders;
    for (auto& pair : fan.pairs) {
        senders.emplace_back([&pair](const std::stop_token& stop) { TestFixture::send_all(*pair, stop); });
    }
    EXPECT_EQ(this->receive_all(fan), 0U);
}

REGISTER_TYPED_TEST_SUITE_P(Threads, EveryMessageArrivesWholeAndInOrder);

}  // namespace rb2::channel::test
