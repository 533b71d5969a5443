#include "runtime/channel/read_ring.hpp"

#include <fmt/format.h>

namespace rb2::channel {

ReadRing::ReadRing(std::span<std::byte> memory, const Parameters& parameters)
    : shape_(validate(parameters)),
      max_bytes_(parameters.message_bytes),
      memory_(enough(memory, shape_.memory_bytes())) {}

void ReadRing::attach(std::uint64_t* read) {
    if (reader_count_ == kMostReaders) {
        throw StartupError(fmt::format(
            "read ring: {} receivers are attached, and no ring has more; use a second ring", kMostReaders));
    }
    // A receiver counts from 0 and gets everything: it must be there before the first message.
    if (sent_ != 0) {
        throw StartupError(fmt::format(
            "read ring: a receiver was attached after {} messages; attach all before the first", sent_));
    }
    readers_[reader_count_++] = read;
}

/// Messages that every receiver has read.
std::uint64_t ReadRing::slowest() noexcept {
    std::uint64_t least = sent_;
    for (std::size_t i = 0; i < reader_count_; ++i) {
        const std::uint64_t seen = CreditWord(readers_[i]).load();
        // More than were sent cannot come from a sound receiver and is ignored.
        if (seen - read_by_[i] <= sent_ - read_by_[i]) read_by_[i] = seen;
        least = std::min(least, read_by_[i]);
    }
    return least;
}

/// Room for the record, and for the 0 behind it.
bool ReadRing::has_room(std::uint64_t extent) noexcept {
    const auto fits = [&] {
        return head_ - tail_ + extent + kWordBytes <= shape_.ring_bytes() && sent_ - read_ < kSendWindow;
    };
    if (fits()) return true;
    read_ = slowest();
    tail_ = read_ == sent_ ? head_ : records_[read_ % kSendWindow].position;
    return fits();
}

Status ReadRing::append(fabric::Source region) noexcept {
    const std::uint64_t extent = ReadRingShape::extent(region.bytes);
    if (!has_room(extent)) return Status::would_block;
    const std::uint64_t offset = shape_.offset(head_);
    if (region.bytes != 0) std::memcpy(memory_.data() + offset + kWordBytes, region.data, region.bytes);
    // The paper's order (Figure 3): message, the 0 behind it, its length. Release, each: a reader who sees
    // the length sees the others.
    std::atomic_ref(word(shape_.offset(head_ + extent))).store(0, std::memory_order_release);
    std::atomic_ref(word(offset)).store(region.bytes + 1, std::memory_order_release);
    const auto bytes = static_cast<std::uint32_t>(region.bytes);
    records_[sent_++ % kSendWindow] = {head_, bytes};
    head_ += extent;
    std::atomic_ref(word(0)).store(pack_bell(head_, bytes), std::memory_order_release);
    return Status::ok;
}

}  // namespace rb2::channel
