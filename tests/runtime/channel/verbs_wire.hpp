#pragma once
// Channels over a real RDMA device, both sides in one thread.

#include <thread>

#include "tests/runtime/channel/drive.hpp"
#include "tests/runtime/fabric/verbs/sides.hpp"

namespace rb2::channel::test {

/// Data and credit endpoints of both sides. A channel that sends messages needs data endpoints made for them,
/// and one that shares its receives endpoints of a group.
template <class C>
struct VerbsWire {
    using Endpoint = fabric::verbs::Endpoint;

    VerbsWire(Window&, Window&, const fabric::fake::Options&) {
        for (auto* lane : {&data_, &credit_}) {
            lane->a.connect(lane->b.card());
            lane->b.connect(lane->a.card());
        }
    }

    Endpoint& data_a() { return data_.a; }
    Endpoint& data_b() { return data_.b; }
    Endpoint& credit_a() { return credit_.a; }
    Endpoint& credit_b() { return credit_.b; }
    /// The card moves by itself; it needs the processor for that.
    static bool step() {
        std::this_thread::yield();
        return true;
    }

  private:
    static constexpr bool kShares = PoolsReceiverMemory<C, Endpoint> && C::kTraits.requests.send;

    struct Lane {
        Lane(fabric::verbs::CompletionQueue& queue, const fabric::verbs::EndpointOptions& at_a,
             const fabric::verbs::EndpointOptions& at_b)
            : a(queue, at_a), b(queue, at_b) {}
        Endpoint a, b;
    };
    [[nodiscard]] static fabric::verbs::EndpointOptions plain() {
        constexpr auto arrivals = C::kTraits.requests.send ? fabric::verbs::Arrivals::messages
                                                           : fabric::verbs::Arrivals::immediates;
        return {.receives = 256, .arrivals = arrivals};
    }

    fabric::verbs::CompletionQueue queue_{fabric::test::verbs_device()};
    fabric::verbs::ReceiveGroup group_{queue_, 64};
    Lane data_{queue_, plain(), kShares ? fabric::verbs::EndpointOptions{.group = &group_} : plain()};
    Lane credit_{queue_, {}, {}};
};

template <class C>
class OverVerbs : public testing::Test {};
TYPED_TEST_SUITE_P(OverVerbs);

TYPED_TEST_P(OverVerbs, EveryMessageArrivesOnceAndWhole) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        Fan<TypeParam, VerbsWire<TypeParam>> fan(1, {.slots = 4, .message_bytes = 96, .ring_bytes = 512});
        const Outcome outcome = Drive<TypeParam, VerbsWire<TypeParam>>(fan, 100, seed).run();
        ASSERT_EQ(outcome.received, 100U) << "seed " << seed << (outcome.stuck ? ", stuck" : "");
        ASSERT_TRUE(outcome.good()) << "seed " << seed;
    }
}

REGISTER_TYPED_TEST_SUITE_P(OverVerbs, EveryMessageArrivesOnceAndWhole);

/// Those of a tuple that a verbs endpoint can carry.
template <class Tuple>
struct SupportedOf;
template <class... C>
struct SupportedOf<std::tuple<C...>>
    : AsTypes<decltype(std::tuple_cat(std::declval<std::conditional_t<Supported<C, fabric::verbs::Endpoint>,
                                                                      std::tuple<C>, std::tuple<>>>()...))> {
};

}  // namespace rb2::channel::test
