// Two threads, an endpoint each, over one piece of shared memory: what a peer may conclude from a message, an
// immediate, a byte of an ordered write, or a word that it added to. Run under TSan as well.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

using Endpoint = shm::MessageEndpoint;

/// Byte `at` of message `number`.
std::byte byte_of(std::uint32_t number, std::size_t at) {
    return static_cast<std::byte>(number * 31 + number / 251 + at * 7);
}

void fill(std::span<std::byte> to, std::uint32_t number) {
    for (std::size_t at = 0; at < to.size(); ++at) to[at] = byte_of(number, at);
}

/// How many bytes are not those of message `number`.
std::size_t wrong_bytes(std::span<const std::byte> bytes, std::uint32_t number) {
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) wrong += bytes[at] == byte_of(number, at) ? 0 : 1;
    return wrong;
}

/// Mostly short, sometimes up to a whole cell.
std::uint32_t length_of(std::uint32_t number) {
    constexpr auto lengths = static_cast<std::uint32_t>(Endpoint::kMaxSendBytes + 1);
    return number % 16 == 0 ? number * 2654435761U % lengths : number % 100;
}

/// One side of a two-way exchange: sends its messages as fast as the peer takes them, receives the peer's.
class Talker {
  public:
    static constexpr std::uint32_t kMessages = 4000;
    static constexpr std::size_t kReceives = 3;  // fewer than cells: messages wait for receives too

    /// Receives outside the window, which a shared queue is free to hold.
    explicit Talker(Endpoint& endpoint) : endpoint_(endpoint) {
        endpoint_.share(queue_);
        for (std::size_t i = 0; i < kReceives; ++i) post(i);
    }

    void run(const std::atomic<bool>& stop) {
        while ((sent_ < kMessages || received_ < kMessages) && wrong_ == 0 && !stop) {
            const bool sent = sent_ < kMessages && send();
            if (!receive() && !sent) std::this_thread::yield();
        }
    }
    [[nodiscard]] std::uint32_t received() const { return received_; }
    [[nodiscard]] std::size_t wrong() const { return wrong_; }

  private:
    bool send() {
        const std::span out = std::span(out_).first(length_of(sent_));
        fill(out, sent_);
        if (endpoint_.send({out.data(), out.size()}, sent_) != Status::ok) return false;
        ++sent_;
        return true;
    }

    bool receive() {
        const auto done = completions(endpoint_);
        for (const Completion& one : done) {
            const std::uint64_t buffer = received_ % kReceives;
            wrong_ += one.operation == Operation::received && one.imm == received_ &&
                              one.ticket == buffer + 1 && one.bytes == length_of(received_)
                          ? 0
                          : 1;
            wrong_ += wrong_bytes(std::span(in_[buffer]).first(one.bytes), received_++);
            post(buffer);
        }
        return !done.empty();
    }

    void post(std::size_t buffer) {
        static_cast<void>(queue_.post({in_[buffer].data(), in_[buffer].size()}, buffer + 1));
    }

    using Buffer = std::array<std::byte, Endpoint::kMaxSendBytes>;
    Endpoint& endpoint_;
    Buffer out_{};
    std::array<Buffer, kReceives> in_{};
    ReceiveQueue queue_{std::as_writable_bytes(std::span(in_))};
    std::uint32_t sent_ = 0;
    std::uint32_t received_ = 0;
    std::size_t wrong_ = 0;
};

TEST(ShmThreads, MessagesOfBothDirectionsArriveWholeAndInOrder) {
    auto sides = std::make_unique<ShmMessageSides>();
    auto a = std::make_unique<Talker>(sides->a);
    auto b = std::make_unique<Talker>(sides->b);
    std::atomic<bool> stop{false};
    {
        std::jthread other([&] {
            b->run(stop);
            if (b->wrong() != 0) stop = true;
        });
        a->run(stop);
        if (a->wrong() != 0) stop = true;
    }
    EXPECT_EQ(a->received(), Talker::kMessages);
    EXPECT_EQ(b->received(), Talker::kMessages);
    EXPECT_EQ(a->wrong() + b->wrong(), 0U);
}

/// The reader answers with how far it is in the first word of the writer's memory.
constexpr std::size_t kAnswerAt = 0;

std::atomic_ref<std::uint64_t> answer(ShmMessageSides& sides) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(sides.memory_a.bytes.data() + kAnswerAt));
}

void wait_for_answer(ShmMessageSides& sides, std::uint64_t wanted, const std::stop_token& stop) {
    while (answer(sides).load(std::memory_order_acquire) < wanted && !stop.stop_requested())
        std::this_thread::yield();
}

TEST(ShmThreads, WritesAreReadableBehindTheMessageThatFollowsThem) {
    constexpr std::uint32_t rounds = 2000;
    auto sides = std::make_unique<ShmMessageSides>();
    std::jthread writer([&](const std::stop_token& stop) {
        std::array<std::byte, 200> bytes;
        for (std::uint32_t round = 0; round < rounds && !stop.stop_requested(); ++round) {
            const std::span out = std::span(bytes).first(1 + round % bytes.size());
            fill(out, round);
            static_cast<void>(sides->a.write({out.data(), out.size()}, Remote{100 + round % 8}));
            while (sides->a.send({}, round) == Status::would_block) std::this_thread::yield();
            wait_for_answer(*sides, round + 1, stop);
        }
    });
    for (std::uint32_t round = 0; round < rounds; ++round) {
        ASSERT_EQ(sides->b.post_receive({}, 1), Status::ok);
        while (completions(sides->b).empty()) std::this_thread::yield();
        const std::span there = std::span(sides->memory_b.bytes).subspan(100 + round % 8, 1 + round % 200);
        ASSERT_EQ(wrong_bytes(there, round), 0U) << round;
        answer(*sides).store(round + 1, std::memory_order_release);
    }
}

/// One write of any length to any place, whose last byte is a bell. Whoever sees it sees all before it.
TEST(ShmThreads, TheLastByteOfAWriteIsSeenLast) {
    constexpr std::uint32_t rounds = 3000;
    const auto length = [](std::uint32_t round) { return 1 + std::size_t{round} * 7 % 300; };
    const auto place = [](std::uint32_t round) { return std::uint64_t{64} + round % 16; };
    auto sides = std::make_unique<ShmMessageSides>();
    std::jthread writer([&](const std::stop_token& stop) {
        std::array<std::byte, 300> bytes;
        for (std::uint32_t round = 0; round < rounds && !stop.stop_requested(); ++round) {
            const std::span out = std::span(bytes).first(length(round));
            fill(out, round);
            constexpr std::byte bell{0xff};
            const std::array<Source, 2> parts{Source{out.data(), out.size()}, Source{&bell, 1}};
            static_cast<void>(sides->a.write_gather(parts, Remote{place(round)}));
            wait_for_answer(*sides, round + 1, stop);
        }
    });
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const std::span there = std::span(sides->memory_b.bytes).subspan(place(round), length(round) + 1);
        while (std::atomic_ref(there.back()).load(std::memory_order_acquire) != std::byte{0xff})
            std::this_thread::yield();
        ASSERT_EQ(wrong_bytes(there.first(length(round)), round), 0U) << round;
        std::ranges::fill(sides->memory_b.bytes, std::byte{0});  // no byte may look like a later bell
        answer(*sides).store(round + 1, std::memory_order_release);
    }
}

/// A reader that looks at any moment finds the words of one write filled front to back, never with a gap.
TEST(ShmThreads, TheWordsOfAWriteAppearFrontToBack) {
    constexpr std::uint64_t rounds = 20'000;
    constexpr std::size_t words = 24;
    auto sides = std::make_unique<ShmMessageSides>();
    std::jthread writer([&](const std::stop_token& stop) {
        std::array<std::uint64_t, words> out;
        for (std::uint64_t round = 1; round <= rounds && !stop.stop_requested(); ++round) {
            out.fill(round);
            const std::span bytes = std::as_bytes(std::span(out));
            static_cast<void>(sides->a.write({bytes.data(), bytes.size()}, Remote{64}));
        }
    });
    auto* const first = reinterpret_cast<std::uint64_t*>(sides->memory_b.bytes.data() + 64);
    std::uint64_t seen = 0;
    while (seen < rounds) {
        // Back to front: what is in front of a word was stored before it, by this write or a later one.
        std::uint64_t behind = 0;
        for (std::size_t at = words; at-- > 0;) {
            const std::uint64_t word = std::atomic_ref(first[at]).load(std::memory_order_acquire);
            ASSERT_GE(word, behind) << "word " << at;
            behind = word;
        }
        seen = std::atomic_ref(first[words - 1]).load(std::memory_order_acquire);
    }
}

TEST(ShmThreads, BytesAreThereOnceTheirImmediateArrives) {
    constexpr std::uint32_t rounds = 30'000;
    constexpr std::uint32_t slots = 128;  // more than immediates that may be under way and in a poll
    constexpr std::size_t slot_bytes = 24;
    static_assert(slots > shm::ImmQueue::kCapacity + 32 && slots * slot_bytes <= kWindowBytes);
    auto sides = std::make_unique<ShmMessageSides>();
    std::jthread writer([&](const std::stop_token& stop) {
        std::array<std::byte, slot_bytes> bytes;
        for (std::uint32_t round = 0; round < rounds; ++round) {
            fill(bytes, round);
            const Remote slot{round % slots * slot_bytes};
            while (sides->a.write_with_imm({bytes.data(), bytes.size()}, slot, round) != Status::ok) {
                if (stop.stop_requested()) return;
                std::this_thread::yield();
            }
        }
    });
    for (std::uint32_t round = 0; round < rounds;) {
        const auto done = completions(sides->b);
        if (done.empty()) std::this_thread::yield();
        for (const Completion& one : done) {
            ASSERT_EQ(one.operation, Operation::imm_arrived);
            ASSERT_EQ(one.imm, round);
            const std::size_t at = round % slots * slot_bytes;
            ASSERT_EQ(wrong_bytes(std::span(sides->memory_b.bytes).subspan(at, slot_bytes), round), 0U);
            ++round;
        }
    }
}

/// Several peers add to one word of a third: each place is given out once, and who is given the place behind
/// another's sees what that one did before it added.
TEST(ShmThreads, EachPlaceOfASharedWordIsGivenOutOnce) {
    constexpr std::uint64_t rounds = 20'000;
    auto owner = std::make_unique<Memory>();
    std::array<Memory, 2> own{};
    std::array<std::vector<std::uint64_t>, 2> done{std::vector<std::uint64_t>(rounds),
                                                   std::vector<std::uint64_t>(rounds)};
    std::vector<std::uint8_t> given(2 * rounds, 0);
    std::array<std::uint64_t, 2> stale{};
    const auto add = [&](std::size_t who) {
        shm::Endpoint endpoint({.own = own[who].bytes, .peer = owner->bytes});
        for (std::uint64_t round = 0; round < rounds; ++round) {
            done[who][round] = round + 1;  // a plain store: only the addition publishes it
            std::uint64_t place = 0;
            static_cast<void>(endpoint.fetch_add(&place, Remote{0}, 1));
            ++given[place];
            const std::uint64_t others = place - round;
            if (others != 0) stale[who] += done[1 - who][others - 1] == others ? 0 : 1;
            if (round % 64 == 0) std::this_thread::yield();
        }
    };
    {
        std::jthread other([&] { add(1); });
        add(0);
    }
    EXPECT_EQ(owner->word(0), 2 * rounds);
    EXPECT_EQ(std::ranges::count(given, 1), 2 * rounds);
    EXPECT_EQ(stale[0] + stale[1], 0U);
}

}  // namespace
}  // namespace rb2::fabric::test
