#pragma once
// What can be sent and received: contiguous ranges of trivially copyable elements.

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

namespace rb2 {

/// A type whose bytes are its value: no pointers to chase, no constructors to run.
template <class T>
concept Transferable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// std::vector, std::array, std::span, std::string_view, C arrays … of transferable elements.
template <class R>
concept SendBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Transferable<std::ranges::range_value_t<R>>;

/// The same, with elements that can be written.
template <class R>
concept ReceiveBuffer =
    SendBuffer<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

namespace detail {

template <SendBuffer R>
std::span<const std::byte> readable(const R& range) noexcept {
    return std::as_bytes(std::span(std::ranges::data(range), std::ranges::size(range)));
}
template <ReceiveBuffer R>
std::span<std::byte> writable(R& range) noexcept {
    return std::as_writable_bytes(std::span(std::ranges::data(range), std::ranges::size(range)));
}

}  // namespace detail
}  // namespace rb2
