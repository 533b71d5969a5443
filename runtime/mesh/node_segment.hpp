#pragma once
// Shared memory of all ranks of a node in one sparse object, for nodes with so many ranks that a ring for
// every pair would take too much: there is a place for every pair's rings, but a page takes memory only once
// two ranks that use it have met. So nothing has to be allotted, agreed on or found out at first contact.
//
//   control block of place 0 | ... of place n-1 | part of place 0 | ... of place n-1
//   part of a place: a block for its ring from place 0, from place 1, ... (that from itself is never used)

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/memory/segment.hpp"
#include "runtime/mesh/control_block.hpp"
#include "runtime/ring/layout.hpp"

namespace rb2::mesh {

/// A place is the index of a rank among those of its node. Move-only.
class NodeSegment {
  public:
    struct Shape {
        std::uint32_t places = 0;
        std::uint32_t slots = 0;  ///< of each ring

        [[nodiscard]] std::size_t block_bytes() const noexcept;
        [[nodiscard]] std::size_t bytes() const noexcept;
    };

    NodeSegment() = default;

    /// By one rank, before the others attach. Takes memory for the control blocks only. Throws StartupError,
    /// memory::NoSpace.
    [[nodiscard]] static NodeSegment create(const std::string& name, Shape shape);
    /// Throws StartupError when the object was not made by this version for `places` ranks.
    [[nodiscard]] static NodeSegment attach(const std::string& name, std::uint32_t places);

    [[nodiscard]] explicit operator bool() const noexcept { return segment_.data() != nullptr; }
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] ControlBlock& control(std::uint32_t place) const noexcept;
    [[nodiscard]] std::span<std::byte> block(std::uint32_t owner, std::uint32_t peer) const noexcept;

    /// Takes memory for the blocks that the two keep for each other. Also both may, at the same time. False:
    /// no room.
    [[nodiscard]] bool reserve(std::uint32_t a, std::uint32_t b) noexcept;
    /// Memory that the object takes at this moment, for all ranks of the node.
    [[nodiscard]] std::size_t taken_bytes() const noexcept { return segment_.taken_bytes(); }

    /// Pages of the part of `place` should lie on the NUMA node.
    void settle(std::uint32_t place, int numa_node) noexcept;

  private:
    [[nodiscard]] std::size_t offset(std::uint32_t owner, std::uint32_t peer) const noexcept;

    memory::Segment segment_;
    Shape shape_;
};

}  // namespace rb2::mesh
