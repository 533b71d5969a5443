#include "runtime/mesh/node_segment.hpp"

#include <fmt/format.h>

#include <new>

namespace rb2::mesh {

std::size_t NodeSegment::Shape::block_bytes() const noexcept {
    constexpr std::size_t pair = ring::kLinePairBytes;
    return (ring::BlockLayout{slots}.bytes() + pair - 1) / pair * pair;
}

std::size_t NodeSegment::Shape::bytes() const noexcept {
    return places * (ControlBlock::kBytes + places * block_bytes());
}

NodeSegment NodeSegment::create(const std::string& name, Shape shape) {
    if (shape.places > Callers::kMost)
        throw StartupError(fmt::format("{} ranks on one node; at most {} can be served: start fewer per node",
                                       shape.places, Callers::kMost));
    NodeSegment node;
    node.shape_ = shape;
    node.segment_ =
        memory::Segment::create(name, shape.bytes(), {.reserved_bytes = shape.places * ControlBlock::kBytes});
    for (std::uint32_t place = 0; place < shape.places; ++place) {
        auto* control = new (&node.control(place)) ControlBlock{};
        control->magic = ControlBlock::kMagic;
        control->version = ControlBlock::kVersion;
        control->rank = place;
        control->ring_slots = shape.slots;
        control->slot_bytes = ring::kLineBytes;
        control->segment_bytes = shape.bytes();
    }
    return node;
}

NodeSegment NodeSegment::attach(const std::string& name, std::uint32_t places) {
    NodeSegment node;
    node.segment_ = memory::Segment::attach_sparse(name);
    const bool has_head = node.segment_.bytes() >= places * ControlBlock::kBytes;
    const ControlBlock& head = node.control(0);
    const bool made_by_us = has_head && head.magic == ControlBlock::kMagic &&
                            head.version == ControlBlock::kVersion && head.slot_bytes == ring::kLineBytes;
    if (made_by_us) node.shape_ = {places, head.ring_slots};
    if (!made_by_us || node.segment_.bytes() != node.shape_.bytes()) {
        throw StartupError(fmt::format(
            "segment /dev/shm/{} is not what this version makes for {} ranks; do all run the same rb2?", name,
            places));
    }
    return node;
}

ControlBlock& NodeSegment::control(std::uint32_t place) const noexcept {
    return *reinterpret_cast<ControlBlock*>(segment_.data() + place * ControlBlock::kBytes);
}

std::size_t NodeSegment::offset(std::uint32_t owner, std::uint32_t peer) const noexcept {
    const std::size_t index = std::size_t{owner} * shape_.places + peer;
    return shape_.places * ControlBlock::kBytes + index * shape_.block_bytes();
}

std::span<std::byte> NodeSegment::block(std::uint32_t owner, std::uint32_t peer) const noexcept {
    return segment_.span().subspan(offset(owner, peer), ring::BlockLayout{shape_.slots}.bytes());
}

bool NodeSegment::reserve(std::uint32_t a, std::uint32_t b) noexcept {
    return segment_.reserve(offset(a, b), shape_.block_bytes()) &&
           segment_.reserve(offset(b, a), shape_.block_bytes());
}

void NodeSegment::settle(std::uint32_t place, int numa_node) noexcept {
    segment_.place(offset(place, 0), shape_.places * shape_.block_bytes(), numa_node);
}

}  // namespace rb2::mesh
