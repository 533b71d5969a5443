#pragma once
// Results of the C++ interface: a value, or an error with its text. Nothing throws once the environment
// stands.

#include <memory>
#include <string>
#include <utility>

#include "rb2/detail/export.hpp"

namespace rb2 {

/// Why a call failed, grouped by what the caller can do next.
enum class ErrorCode {
    truncated,         ///< the message was longer than the buffer, which holds its first bytes
    invalid_argument,  ///< rank, tag, count or buffer out of range; nothing was sent or received
    out_of_memory,     ///< no memory for the operation
    peer_lost,         ///< the other rank is gone
    internal,          ///< a fault of the library
};

/// One failed call. The text names the call, this rank and host, the other rank, sizes, and what to try.
struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string text;
};

namespace detail {

/// Prints the text and ends the job with a non-zero status.
[[noreturn]] RB2_API void abort_with(const Error& error);

}  // namespace detail

/// A value of type T, or an error. Costs a null pointer when all is well.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::move(value)) {}                               // NOLINT: as std::expected
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT: as std::expected

    [[nodiscard]] bool ok() const noexcept { return error_ == nullptr; }
    explicit operator bool() const noexcept { return ok(); }

    /// Only when ok().
    [[nodiscard]] T& value() & noexcept { return value_; }
    [[nodiscard]] const T& value() const& noexcept { return value_; }
    [[nodiscard]] T&& value() && noexcept { return std::move(value_); }
    T& operator*() noexcept { return value_; }
    T* operator->() noexcept { return &value_; }

    /// Only when not ok().
    [[nodiscard]] const Error& error() const noexcept { return *error_; }

    /// The value; on an error, prints its text and ends the job.
    T or_abort() && {
        if (!ok()) detail::abort_with(*error_);
        return std::move(value_);
    }

  private:
    T value_{};
    std::unique_ptr<Error> error_;
};

/// Success, or an error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT: as std::expected

    [[nodiscard]] bool ok() const noexcept { return error_ == nullptr; }
    explicit operator bool() const noexcept { return ok(); }
    /// Only when not ok().
    [[nodiscard]] const Error& error() const noexcept { return *error_; }
    /// On an error, prints its text and ends the job.
    void or_abort() const {
        if (!ok()) detail::abort_with(*error_);
    }

  private:
    std::unique_ptr<Error> error_;
};

}  // namespace rb2
