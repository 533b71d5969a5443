#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace rb2::bench {

/// Owns page-aligned memory whose pages are all resident (written once at construction).
class PageBuffer {
  public:
    static constexpr std::size_t kPageBytes = 4096;

    /// Throws std::bad_alloc. A buffer of 0 bytes still has a valid address.
    explicit PageBuffer(std::size_t bytes);

    /// The first length bytes; length must not exceed the size asked for.
    [[nodiscard]] std::span<std::byte> first(std::size_t length) const { return {memory_.get(), length}; }

    /// The piece number index when the buffer is cut into pieces of length bytes.
    [[nodiscard]] std::span<std::byte> piece(std::size_t index, std::size_t length) const {
        return {memory_.get() + index * length, length};
    }

  private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kPageBytes}); }
    };
    std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace rb2::bench
