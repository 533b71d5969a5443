#pragma once
// A block whose rings are mapped twice in a row.

#include <array>
#include <span>

#include "runtime/memory/circular_mapping.hpp"
#include "runtime/ring/layout.hpp"

namespace rb2::ring::test {

/// Memory for FakePairOf and ShmPairOf. The rings must be of whole pages, their words have a page.
class CircularBlock {
  public:
    static constexpr std::size_t kPageBytes = 4096;

    explicit CircularBlock(const BlockLayout& layout)
        : mapping_(memory::CircularMapping::create(std::array<memory::CircularMapping::Part, 3>{
              {{layout.slots(), false},
               {ring_bytes(layout.inbound_slots, layout.slot_bytes), true},
               {ring_bytes(layout.mirror_slots, layout.slot_bytes), true}}})) {}

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return mapping_.bytes(); }

  private:
    memory::CircularMapping mapping_;
};

}  // namespace rb2::ring::test
