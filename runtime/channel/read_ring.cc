#include "runtime/channel/read_ring.hpp"

namespace rb2::channel {

ReadRing::ReadRing(std::span<std::byte> memory, const Parameters& parameters)
    : shape_(validate(parameters)),
      max_bytes_(parameters.message_bytes),
      memory_(enough(memory, shape_.memory_bytes())) {}

/// Room for the record, and for the 0 behind it.
bool ReadRing::has_room(std::uint64_t extent) noexcept {
    const auto fits = [&] {
        return head_ - tail_ + extent + kWordBytes <= shape_.ring_bytes() && sent_ - read_ < kSendWindow;
    };
    if (fits()) return true;
    read_ = readers_.slowest(sent_);
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
