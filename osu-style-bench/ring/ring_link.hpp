#pragma once
// Two rings of any mix, one each way, between two threads.

#include <type_traits>

#include "osu-style-bench/ring/fabrics.hpp"
#include "osu-style-bench/ring/link.hpp"
#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/ring_end.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"

namespace rb2::bench::study {

/// One side's blocks and what it may reach of the other's.
struct RingSide {
    const Job& job;
    rb2::ring::BlockLayout layout;
    rb2::fabric::shm::Windows windows;
    rb2::ring::Parameters outbound;
    rb2::ring::Parameters inbound;
};

/// What a mix runs over. `On`: Bare or Costed.
template <class M, class On>
struct RingFabric {
    using Plain = rb2::fabric::shm::Endpoint;
    using Ordered = rb2::fabric::shm::MessageEndpoint;
    // Ordered bytes only where the mix cannot do without: they are copied word by word.
    static constexpr bool kPlain = rb2::ring::LegalMix<M, typename On::template Endpoint<Plain>>;
    using Inner = std::conditional_t<kPlain, Plain, Ordered>;
    using Port = typename On::template Port<Inner>;
    using Channel = rb2::ring::RingChannel<M, typename On::template Endpoint<Inner>>;
};

template <class M, class On>
class RingEnd : public RingEndOver<typename RingFabric<M, On>::Channel> {
    using Channel = typename RingFabric<M, On>::Channel;
    using Port = typename RingFabric<M, On>::Port;
    static constexpr bool kPlain = RingFabric<M, On>::kPlain;

  public:
    explicit RingEnd(const RingSide& side)
        : RingEndOver<Channel>(channel_),
          port_(make_port(side)),
          channel_(port_.endpoint(),
                   {.own = side.windows.own.data(), .own_layout = side.layout, .own_key = 0, .peer = {}},
                   side.outbound, side.inbound) {}

    void turn() {
        port_.land();
        RingEndOver<Channel>::turn();
    }

  private:
    static Port make_port(const RingSide& side) {
        if constexpr (kPlain) {
            return Port(side.job, side.windows);
        } else {
            return Port(side.job, side.windows, rb2::fabric::shm::MessageQueues{});
        }
    }

    Port port_;
    Channel channel_;
};

/// Rings for messages of job.bytes from a to b, and of job.reply_bytes back.
template <class M, class On>
class RingLink {
    using Parameters = rb2::ring::Parameters;

  public:
    explicit RingLink(const Job& job)
        : forward_(ring_for<M>(job.shape, job.bytes)),
          backward_(ring_for<M>(job.shape, job.reply_bytes)),
          memory_a_(block_of<M>(backward_, forward_).bytes(), job.pages, job.memory_node),
          memory_b_(block_of<M>(forward_, backward_).bytes(), job.pages, job.memory_node),
          a_({job, block_of<M>(backward_, forward_), windows(memory_a_, memory_b_, a_to_b_, b_to_a_),
              forward_, backward_}),
          b_({job, block_of<M>(forward_, backward_), windows(memory_b_, memory_a_, b_to_a_, a_to_b_),
              backward_, forward_}) {}
    RingLink(const RingLink&) = delete;
    RingLink& operator=(const RingLink&) = delete;

    [[nodiscard]] RingEnd<M, On>& a() noexcept { return a_; }
    [[nodiscard]] RingEnd<M, On>& b() noexcept { return b_; }

  private:
    using ImmQueue = rb2::fabric::shm::ImmQueue;

    /// Zeroed memory is a pair of empty rings (layout.hpp).
    static rb2::fabric::shm::Windows windows(const Memory& own, const Memory& peer, ImmQueue& outgoing,
                                             ImmQueue& incoming) {
        return {.own = own.bytes(), .peer = peer.bytes(), .outgoing = &outgoing, .incoming = &incoming};
    }

    Parameters forward_;
    Parameters backward_;
    Memory memory_a_;
    Memory memory_b_;
    ImmQueue a_to_b_;
    ImmQueue b_to_a_;
    RingEnd<M, On> a_;
    RingEnd<M, On> b_;
};

}  // namespace rb2::bench::study
