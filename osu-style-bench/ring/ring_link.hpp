#pragma once
// Two rings of any mix, one each way, between two threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "osu-style-bench/ring/fabrics.hpp"
#include "osu-style-bench/ring/link.hpp"
#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/shape.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::bench::study {

/// One side's blocks and what it may reach of the other's.
struct RingSide {
    const Job& job;
    rb2::ring::BlockLayout layout;
    rb2::fabric::shm::Windows windows;
    rb2::ring::Parameters outbound;
    rb2::ring::Parameters inbound;
};

/// `On`: Bare or Costed.
template <class M, class On>
class RingEnd {
    using Plain = rb2::fabric::shm::Endpoint;
    using Ordered = rb2::fabric::shm::MessageEndpoint;
    // Ordered bytes only where the mix cannot do without: they are copied word by word.
    static constexpr bool kPlain = rb2::ring::LegalMix<M, typename On::template Endpoint<Plain>>;
    using Inner = std::conditional_t<kPlain, Plain, Ordered>;
    using Port = typename On::template Port<Inner>;
    using Channel = rb2::ring::RingChannel<M, typename On::template Endpoint<Inner>>;

  public:
    explicit RingEnd(const RingSide& side)
        : port_(make_port(side)),
          channel_(port_.endpoint(),
                   {.own = side.windows.own.data(), .own_layout = side.layout, .own_key = 0, .peer = {}},
                   side.outbound, side.inbound),
          most_bytes_(channel_.sender().max_length()) {}

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) noexcept {
        claim_ = channel_.sender().try_claim(bytes);
        return {claim_.payload, claim_.length};
    }
    void commit(std::uint32_t bytes) { require(channel_.sender().commit(claim_, kKind, 0, bytes)); }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return most_bytes_; }

    template <class Handler>
    std::uint64_t receive(Handler&& handler) {
        const int count = channel_.receiver().drain(kBudget, [&](const rb2::ring::Record& record) {
            return handler(record.payload) ? rb2::ring::Verdict::consumed : rb2::ring::Verdict::last;
        });
        if (count == rb2::ring::kCorrupt) throw std::runtime_error("the ring holds what is not a record");
        return static_cast<std::uint64_t>(count);
    }

    bool push() {
        const Status status = channel_.sender().flush();
        if (status == Status::would_block) return false;
        require(status);
        return true;
    }
    void turn() {
        port_.land();
        require(channel_.sender().poll());
    }

  private:
    static constexpr std::uint8_t kKind = 1;
    static constexpr int kBudget = 32;  // bounded, so that a receiver also looks after its own writes

    static Port make_port(const RingSide& side) {
        if constexpr (kPlain) {
            return Port(side.job, side.windows);
        } else {
            return Port(side.job, side.windows, rb2::fabric::shm::MessageQueues{});
        }
    }
    static void require(Status status) {
        if (status != Status::ok) throw std::runtime_error("the ring has lost its peer");
    }

    Port port_;
    Channel channel_;
    rb2::ring::Claim claim_;
    std::size_t most_bytes_;
};

/// Rings for messages of job.bytes from a to b, and of job.reply_bytes back.
template <class M, class On>
class RingLink {
    using Layout = typename M::Layout;
    using Parameters = rb2::ring::Parameters;
    using BlockLayout = rb2::ring::BlockLayout;

  public:
    explicit RingLink(const Job& job)
        : forward_(parameters_for(job.shape, job.bytes)),
          backward_(parameters_for(job.shape, job.reply_bytes)),
          memory_a_(layout_of(backward_, forward_).bytes(), job.pages, job.memory_node),
          memory_b_(layout_of(forward_, backward_).bytes(), job.pages, job.memory_node),
          a_({job, layout_of(backward_, forward_), windows(memory_a_, memory_b_, a_to_b_, b_to_a_), forward_,
              backward_}),
          b_({job, layout_of(forward_, backward_), windows(memory_b_, memory_a_, b_to_a_, a_to_b_), backward_,
              forward_}) {}
    RingLink(const RingLink&) = delete;
    RingLink& operator=(const RingLink&) = delete;

    [[nodiscard]] RingEnd<M, On>& a() noexcept { return a_; }
    [[nodiscard]] RingEnd<M, On>& b() noexcept { return b_; }

  private:
    using ImmQueue = rb2::fabric::shm::ImmQueue;

    static Parameters parameters_for(const RingShape& shape, std::size_t bytes) {
        const std::size_t length = std::min<std::size_t>(bytes, rb2::ring::kLengthLimit / 2);
        const auto whole = static_cast<std::uint32_t>(length) + M::Tail::kTrailerBytes;
        const Parameters parameters = slots_of(shape, Layout::slots_for(whole), Layout::kSlotBytes);
        // A buffer of a list holds one record, however many of them a message takes.
        return Layout::max_slots(parameters) == 1 ? slots_of(shape, 1, Layout::kSlotBytes) : parameters;
    }
    static BlockLayout layout_of(const Parameters& inbound, const Parameters& outbound) {
        const std::uint64_t copy = M::Placement::kStaged ? Layout::max_slots(outbound) : outbound.slots;
        return {.inbound_slots = inbound.slots,
                .mirror_slots = M::Placement::kInPlace ? 0 : copy,
                .slot_bytes = Layout::kSlotBytes};
    }
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
