#pragma once
// The ring memory of one network: a block of ring::BlockLayout for every peer, in one private mapping.

#include <cstddef>
#include <span>

#include "runtime/ring/layout.hpp"
#include "runtime/ring/parameters.hpp"

namespace rb2::network {

/// Zeroed pages that come when they are touched. Not movable: rings point into it.
class Blocks {
  public:
    /// Throws StartupError when there are not enough addresses.
    Blocks(const ring::Parameters& parameters, std::size_t peers);
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;
    ~Blocks();

    [[nodiscard]] const ring::BlockLayout& layout() const noexcept { return layout_; }
    /// Of the peer at `index`.
    [[nodiscard]] std::span<std::byte> block(std::size_t index) const noexcept {
        return memory_.subspan(index * stride_, layout_.bytes());
    }
    [[nodiscard]] std::span<std::byte> all() const noexcept { return memory_; }

  private:
    ring::BlockLayout layout_;
    std::size_t stride_;
    std::span<std::byte> memory_;
};

}  // namespace rb2::network
