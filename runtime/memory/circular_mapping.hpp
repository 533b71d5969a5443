#pragma once
// Memory whose end is its beginning: a ring of pages mapped twice in a row, so that whoever runs past the
// last byte goes on at the first one, and what crosses the end is still contiguous. The trick of MICA and
// FaRM (protocols paper, §4, "Software tricks").
//
// One mapping holds several parts, some seen once and some twice, because a peer is given one range. Twice is
// a matter of addresses only: the pages exist once.

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/memory/descriptor.hpp"
#include "runtime/status.hpp"

namespace rb2::memory {

/// Move-only; unmaps when it goes. Thread-compatible.
class CircularMapping {
  public:
    struct Part {
        std::size_t bytes = 0;  ///< a multiple of page_bytes()
        bool twice = false;     ///< seen twice in a row
    };

    [[nodiscard]] static std::size_t page_bytes() noexcept;
    /// The next multiple of page_bytes(): what a part of `bytes` must have.
    [[nodiscard]] static std::size_t whole_pages(std::size_t bytes) noexcept;

    /// New zeroed memory, the parts one behind the other; pages are made when first touched. StartupError
    /// when a part is not of whole pages, or there are not enough addresses.
    [[nodiscard]] static CircularMapping create(std::span<const Part> parts);
    /// The memory of another process's mapping, by its descriptor as received here (inherited, or sent over a
    /// Unix socket); the same parts. The descriptor stays the caller's. StartupError when it holds less.
    [[nodiscard]] static CircularMapping attach(int descriptor, std::span<const Part> parts);

    CircularMapping(CircularMapping&& other) noexcept;
    CircularMapping& operator=(CircularMapping&& other) noexcept;
    ~CircularMapping();

    /// All parts, with both views of those seen twice.
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return views_; }
    /// One part, with both its views if it is seen twice.
    [[nodiscard]] std::span<std::byte> part(std::size_t index) const noexcept;
    /// What a peer attaches. Closed when this object goes, which an attached peer does not notice. -1 if
    /// attached itself.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

  private:
    CircularMapping(int descriptor, std::span<const Part> parts);

    Descriptor descriptor_;
    std::span<std::byte> views_;
    std::vector<std::span<std::byte>> parts_;
};

}  // namespace rb2::memory
