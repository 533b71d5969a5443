#pragma once
// Two rings of any mix, one each way, between two threads, over the real device of the machine.

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/ring_end.hpp"
#include "runtime/fabric/verbs/endpoint.hpp"

namespace rb2::bench::study {

/// The device of the process. Throws StartupError where there is none.
rb2::fabric::verbs::Device& verbs_device();

/// Of all ends that are gone: what their endpoints had done.
rb2::fabric::verbs::Counters& verbs_tally();
void add_to_tally(const rb2::fabric::verbs::Counters& counters);

/// An endpoint taken at its word, though no device promises it, that the bytes of a write land front to back.
/// Only for mixes that cannot do without (Mvapich, Farm), and only where a wrong guess would be seen: the
/// loads check every message. Soft-RoCE copies each packet by one ascending move of the kernel's.
class InOrderEndpoint : public rb2::fabric::verbs::Endpoint {
  public:
    using Endpoint::Endpoint;
    static constexpr rb2::fabric::Capabilities kCapabilities = [] {
        rb2::fabric::Capabilities capabilities = Endpoint::kCapabilities;
        capabilities.ordered_bytes = true;
        return capabilities;
    }();
};

/// What a side has before its rings: connected, and its memory registered.
template <class M>
class VerbsSide {
    using Plain = rb2::fabric::verbs::Endpoint;

  public:
    using Endpoint = std::conditional_t<rb2::ring::LegalMix<M, Plain>, Plain, InOrderEndpoint>;

    VerbsSide(const Job& job, const rb2::ring::BlockLayout& layout)
        : layout_(layout),
          memory_(layout.bytes(), job.pages, job.memory_node),
          queue_(verbs_device()),
          endpoint_(queue_),
          region_(endpoint_.register_memory(memory_.bytes())) {}
    VerbsSide(const VerbsSide&) = delete;
    VerbsSide& operator=(const VerbsSide&) = delete;
    ~VerbsSide() { add_to_tally(endpoint_.counters()); }

    [[nodiscard]] Endpoint& endpoint() noexcept { return endpoint_; }
    [[nodiscard]] rb2::ring::BlockPair blocks(const VerbsSide& peer) const noexcept {
        return {.own = memory_.bytes().data(),
                .own_layout = layout_,
                .own_key = region_.key(),
                .peer = peer.region_.remote()};
    }

  private:
    rb2::ring::BlockLayout layout_;
    Memory memory_;
    rb2::fabric::verbs::CompletionQueue queue_;
    Endpoint endpoint_;
    rb2::fabric::verbs::Region region_;
};

template <class M>
using VerbsChannel = rb2::ring::RingChannel<M, typename VerbsSide<M>::Endpoint>;

/// Gives way when there was nothing to do `patience` times in a row: a software device works on the
/// processors that are waiting for it. At once would cost a round trip a system call for each look, which
/// perftest does without.
template <class M>
class VerbsEnd : public RingEndOver<VerbsChannel<M>> {
    using Base = RingEndOver<VerbsChannel<M>>;

  public:
    VerbsEnd(VerbsChannel<M>& channel, unsigned patience) noexcept : Base(channel), patience_(patience) {}

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) noexcept {
        const std::span<std::byte> room = Base::claim(bytes);
        give_way_if(room.empty());
        return room;
    }
    template <class Handler>
    std::uint64_t receive(Handler&& handler) {
        const std::uint64_t count = Base::receive(handler);
        give_way_if(count == 0);
        return count;
    }

  private:
    void give_way_if(bool idle) noexcept {
        if (idle && ++idle_looks_ < patience_) return;
        if (idle) sched_yield();
        idle_looks_ = 0;
    }

    unsigned patience_;
    unsigned idle_looks_ = 0;
};

/// Rings for messages of job.bytes from a to b, and of job.reply_bytes back.
template <class M>
class VerbsLink {
  public:
    explicit VerbsLink(const Job& job)
        : forward_(ring_for<M>(job.shape, job.bytes)),
          backward_(ring_for<M>(job.shape, job.reply_bytes)),
          side_a_(job, block_of<M>(backward_, forward_)),
          side_b_(job, block_of<M>(forward_, backward_)),
          channel_a_(side_a_.endpoint(), side_a_.blocks(side_b_), forward_, backward_),
          channel_b_(side_b_.endpoint(), side_b_.blocks(side_a_), backward_, forward_),
          a_(channel_a_, job.load == Load::exchange ? 16 : 1),
          b_(channel_b_, job.load == Load::exchange ? 16 : 1) {
        side_a_.endpoint().connect(side_b_.endpoint().card());
        side_b_.endpoint().connect(side_a_.endpoint().card());
    }
    VerbsLink(const VerbsLink&) = delete;
    VerbsLink& operator=(const VerbsLink&) = delete;

    [[nodiscard]] VerbsEnd<M>& a() noexcept { return a_; }
    [[nodiscard]] VerbsEnd<M>& b() noexcept { return b_; }

  private:
    rb2::ring::Parameters forward_;
    rb2::ring::Parameters backward_;
    VerbsSide<M> side_a_;
    VerbsSide<M> side_b_;
    VerbsChannel<M> channel_a_;
    VerbsChannel<M> channel_b_;
    VerbsEnd<M> a_;
    VerbsEnd<M> b_;
};

}  // namespace rb2::bench::study
