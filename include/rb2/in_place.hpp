#pragma once
// Sending and receiving without a copy of one's own: messages are written and read where the library keeps
// them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "rb2/buffers.hpp"
#include "rb2/detail/export.hpp"
#include "rb2/recv_status.hpp"

namespace rb2 {

/// In-place messages start at a multiple of this many bytes.
inline constexpr std::size_t kInPlaceAlignment = 8;

template <class T>
concept InPlaceElement = Transferable<T> && alignof(T) <= kInPlaceAlignment;

namespace detail {

struct OpenSlot;
struct RB2_API SlotCloser {
    void operator()(OpenSlot* slot) const noexcept;  // aborts: nothing is sent
};
using SlotPointer = std::unique_ptr<OpenSlot, SlotCloser>;
RB2_API void commit_slot(SlotPointer slot, std::size_t bytes);

}  // namespace detail

/// Room for one message in the receiver's ring. Fill elements() and commit(); without that nothing is sent.
/// While a slot is open nothing else can go to that rank, so no call of the library may come in between.
template <InPlaceElement T>
class [[nodiscard]] Slot {
  public:
    Slot() = default;
    Slot(detail::SlotPointer slot, std::span<T> elements) : slot_(std::move(slot)), elements_(elements) {}

    /// The message to be, not initialised.
    [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }
    /// Sends all of it.
    void commit() { commit(elements_.size()); }
    /// Sends the first `count` elements, at most those that were reserved.
    void commit(std::size_t count) {
        detail::commit_slot(std::move(slot_), elements_.first(count).size_bytes());
    }

  private:
    detail::SlotPointer slot_;
    std::span<T> elements_;
};

/// A received message where it lies. Valid during the handler's call only.
class Message {
  public:
    Message(const RecvStatus& status, std::span<const std::byte> bytes) : status_(status), bytes_(bytes) {}

    [[nodiscard]] const RecvStatus& status() const noexcept { return status_; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
    /// The message as whole elements of type T.
    template <InPlaceElement T>
    [[nodiscard]] std::span<const T> as() const noexcept {
        return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
    }

  private:
    RecvStatus status_;
    std::span<const std::byte> bytes_;
};

}  // namespace rb2
