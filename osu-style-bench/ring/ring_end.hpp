#pragma once
// One end of a pair of rings as the loads see it, over any fabric, and how large its rings are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "osu-style-bench/ring/job.hpp"
#include "osu-style-bench/ring/shape.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::bench::study {

/// Refers to the channel, which the caller may still have to make.
template <class Channel>
class RingEndOver {
  public:
    explicit RingEndOver(Channel& channel) noexcept : channel_(channel) {}

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) noexcept {
        claim_ = channel_.sender().try_claim(bytes);
        return {claim_.payload, claim_.length};
    }
    void commit(std::uint32_t bytes) { require(channel_.sender().commit(claim_, kKind, 0, bytes)); }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return channel_.sender().max_length(); }

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
    void turn() { require(channel_.sender().poll()); }

  private:
    static constexpr std::uint8_t kKind = 1;
    static constexpr int kBudget = 32;  // bounded, so that a receiver also looks after its own writes

    static void require(Status status) {
        if (status != Status::ok) throw std::runtime_error("the ring has lost its peer");
    }

    Channel& channel_;
    rb2::ring::Claim claim_;
};

/// The ring of M for messages of `bytes`.
template <class M>
rb2::ring::Parameters ring_for(const RingShape& shape, std::size_t bytes) {
    using Layout = typename M::Layout;
    const std::size_t length = std::min<std::size_t>(bytes, rb2::ring::kLengthLimit / 2);
    const auto whole = static_cast<std::uint32_t>(length) + M::Tail::kTrailerBytes;
    const rb2::ring::Parameters parameters = slots_of(shape, Layout::slots_for(whole), Layout::kSlotBytes);
    // A buffer of a list holds one record, however many of them a message takes.
    return Layout::max_slots(parameters) == 1 ? slots_of(shape, 1, Layout::kSlotBytes) : parameters;
}

/// The block of a side with these two rings of M.
template <class M>
rb2::ring::BlockLayout block_of(const rb2::ring::Parameters& inbound, const rb2::ring::Parameters& outbound) {
    using Layout = typename M::Layout;
    const std::uint64_t copy = M::Placement::kStaged ? Layout::max_slots(outbound) : outbound.slots;
    return {.inbound_slots = inbound.slots,
            .mirror_slots = M::Placement::kInPlace ? 0 : copy,
            .slot_bytes = Layout::kSlotBytes};
}

}  // namespace rb2::bench::study
