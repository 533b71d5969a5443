#include "runtime/channel/shared_ring.hpp"

namespace rb2::channel {

SharedRing::SharedRing(std::span<std::byte> memory, const SharedRingShape& shape)
    : shape_(shape),
      memory_(enough(memory, shape.memory_bytes())),
      places_(shape.ring_bytes() / kWordBytes) {}

/// The senders wrote the numbers: nothing is used before it is known to stay inside the ring.
bool SharedRing::inside(std::uint64_t position, std::uint64_t extent) const noexcept {
    return position % kWordBytes == 0 && position - tail_ < shape_.ring_bytes() &&
           shape_.fits(position + extent, tail_);
}

bool SharedRing::hold(std::uint64_t position, std::uint64_t extent) noexcept {
    if (!inside(position, extent) || place(position).extent != 0) return false;
    place(position) = {.extent = static_cast<std::uint32_t>(extent), .freed = false};
    return true;
}

std::uint64_t SharedRing::held(std::uint64_t position) const noexcept {
    if (!inside(position, 0)) return 0;
    const Place& here = places_[position % shape_.ring_bytes() / kWordBytes];
    return here.freed ? 0 : here.extent;
}

void SharedRing::release(std::uint64_t position) noexcept {
    place(position).freed = true;
    while (place(tail_).freed) {
        const std::uint64_t extent = place(tail_).extent;
        place(tail_) = {};
        tail_ += extent;
    }
    // Release: the messages before it have been read, and their memory is as the next writer needs it.
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_.data() + SharedRingShape::kTail))
        .store(tail_, std::memory_order_release);
}

}  // namespace rb2::channel
