#pragma once
// What a channel runs over in the tests: two sides with a data and a credit endpoint each, over every fabric.

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>

#include "runtime/channel/channel.hpp"
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"
#include "tests/runtime/block.hpp"

namespace rb2::channel::test {

/// The memory of one side, handed out from the front. On shared memory it is the side's window.
class Window {
  public:
    explicit Window(std::size_t bytes = std::size_t{1} << 20) : block_(bytes) {}

    /// Zeroed, on a line boundary. Nothing for no bytes.
    [[nodiscard]] std::span<std::byte> take(std::size_t bytes) {
        const std::span<std::byte> taken = block_.bytes().subspan(end_, bytes);
        end_ += (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
        if (end_ > block_.bytes().size()) throw std::length_error("the test's window is too small");
        taken_ += bytes;
        return taken;
    }
    [[nodiscard]] std::size_t taken() const noexcept { return taken_; }  ///< bytes asked for
    [[nodiscard]] std::span<std::byte> all() noexcept { return block_.bytes(); }

  private:
    rb2::test::Block block_;
    std::size_t end_ = 0;
    std::size_t taken_ = 0;
};

/// Over the counting fabric. E: which order it claims and keeps.
template <class E>
struct FakeWire {
    using Endpoint = E;

    FakeWire(Window&, Window&, const fabric::fake::Options& options) : data(options), credit(options) {}

    E& data_a() { return data.a(); }
    E& data_b() { return data.b(); }
    E& credit_a() { return credit.a(); }
    E& credit_b() { return credit.b(); }

    /// Moves something. False when nothing is under way.
    bool step() { return data.step() || credit.step(); }

    /// What has been posted reaches the other side, and completions of what went there in the half round trip
    /// before come back. Needs manual delivery and held completions.
    void half_round_trip() {
        for (E* end : {&data.a(), &data.b(), &credit.a(), &credit.b()}) end->release_completions();
        data.deliver();
        credit.deliver();
    }

    fabric::fake::LinkOf<E> data;
    fabric::fake::LinkOf<E> credit;
};

using Order = fabric::fake::Order;

/// Keeps what it claims.
template <Order Kept>
using FakeWireOf = FakeWire<fabric::fake::OrderingEndpoint<Kept>>;

/// Keeps no more than Table 2 says that the channel needs.
template <class C>
using WeakestWire = FakeWireOf<Order{.messages = C::kTraits.in_order.messages,
                                     .bytes = C::kTraits.in_order.bytes,
                                     .reads = C::kTraits.in_order.reads}>;

using OrderedWire = FakeWireOf<Order{.messages = true, .bytes = true}>;

/// Over shared memory with two-sided messages.
struct ShmWire {
    using Endpoint = fabric::shm::MessageEndpoint;

    ShmWire(Window& a, Window& b, const fabric::fake::Options&) : queues(std::make_unique<Queues>()) {
        for (auto* lane : {&data, &credit}) {
            auto& [imm_ab, imm_ba, ab, ba] = lane == &data ? queues->data : queues->credit;
            lane->a = std::make_unique<Endpoint>(fabric::shm::Windows{a.all(), b.all(), &imm_ab, &imm_ba},
                                                 fabric::shm::MessageQueues{&ab, &ba});
            lane->b = std::make_unique<Endpoint>(fabric::shm::Windows{b.all(), a.all(), &imm_ba, &imm_ab},
                                                 fabric::shm::MessageQueues{&ba, &ab});
        }
    }

    Endpoint& data_a() { return *data.a; }
    Endpoint& data_b() { return *data.b; }
    Endpoint& credit_a() { return *credit.a; }
    Endpoint& credit_b() { return *credit.b; }
    static bool step() { return false; }

  private:
    struct Lane {
        fabric::shm::ImmQueue imm_ab, imm_ba;
        fabric::shm::MessageQueue ab, ba;
    };
    struct Queues {
        Lane data, credit;
    };
    struct Ends {
        std::unique_ptr<Endpoint> a, b;
    };
    std::unique_ptr<Queues> queues;
    Ends data, credit;
};

/// Over shared memory as the ring uses it: one-sided, and the bytes of a write in no order.
struct PlainShmWire {
    using Endpoint = fabric::shm::Endpoint;

    PlainShmWire(Window& a, Window& b, const fabric::fake::Options&)
        : data(std::make_unique<Lane>(a, b)), credit(std::make_unique<Lane>(a, b)) {}

    Endpoint& data_a() { return data->a; }
    Endpoint& data_b() { return data->b; }
    Endpoint& credit_a() { return credit->a; }
    Endpoint& credit_b() { return credit->b; }
    static bool step() { return false; }

  private:
    struct Lane {
        Lane(Window& window_a, Window& window_b)
            : a({window_a.all(), window_b.all(), &ab, &ba}), b({window_b.all(), window_a.all(), &ba, &ab}) {}
        fabric::shm::ImmQueue ab, ba;
        Endpoint a, b;
    };
    std::unique_ptr<Lane> data, credit;
};

}  // namespace rb2::channel::test
