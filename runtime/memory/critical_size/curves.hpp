#pragma once
// What copying and registering cost on this host and device, by size. Plain data.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rb2::memory::critical_size {

/// One measured size.
struct Point {
    std::uint64_t bytes = 0;
    double ns = 0;

    friend bool operator==(const Point&, const Point&) = default;
};
using Curve = std::vector<Point>;  ///< ascending sizes; empty where nothing could be measured

enum class Work : std::uint8_t { copy, add, remove };  ///< memcpy, register, deregister
inline constexpr std::array kWorks{Work::copy, Work::add, Work::remove};

/// The state of the program's buffer before the work begins.
struct Buffer {
    bool resident = true;  ///< its pages are there; else each costs a page fault
    bool huge = false;     ///< of 2 MiB pages, else 4 KiB

    friend bool operator==(Buffer, Buffer) = default;
};
inline constexpr std::array<Buffer, 4> kBuffers{{{true, false}, {false, false}, {true, true}, {false, true}}};

[[nodiscard]] constexpr std::size_t index_of(Buffer buffer) noexcept {
    return (buffer.resident ? 0U : 1U) + (buffer.huge ? 2U : 0U);
}

/// One curve for each work on each kind of buffer.
class Curves {
  public:
    [[nodiscard]] Curve& of(Work work, Buffer buffer) noexcept {
        return curves_[static_cast<std::size_t>(work) * kBuffers.size() + index_of(buffer)];
    }
    [[nodiscard]] const Curve& of(Work work, Buffer buffer) const noexcept {
        return curves_[static_cast<std::size_t>(work) * kBuffers.size() + index_of(buffer)];
    }
    friend bool operator==(const Curves&, const Curves&) = default;

  private:
    std::array<Curve, 12> curves_;
};

}  // namespace rb2::memory::critical_size
