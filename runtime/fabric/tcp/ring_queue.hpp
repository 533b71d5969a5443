#pragma once
// A bounded first-in first-out queue in place.

#include <array>
#include <cstddef>

namespace rb2::fabric::tcp {

/// Neither end checks: ask full() and empty() first.
template <class T, std::size_t Capacity>
class RingQueue {
  public:
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    [[nodiscard]] bool full() const noexcept { return end_ - begin_ == Capacity; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    [[nodiscard]] T& front() noexcept { return items_[begin_ % Capacity]; }
    [[nodiscard]] T& operator[](std::size_t place) noexcept { return items_[(begin_ + place) % Capacity]; }
    void push(const T& item) noexcept { items_[end_++ % Capacity] = item; }
    void pop() noexcept { ++begin_; }

  private:
    // Only grow; their difference is right even if they wrap, as Capacity divides their range.
    static_assert((Capacity & (Capacity - 1)) == 0);
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::array<T, Capacity> items_;
};

}  // namespace rb2::fabric::tcp
