#pragma once
// Nonblocking operations: one Request each, waited for alone or in groups.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rb2/detail/export.hpp"
#include "rb2/recv_status.hpp"
#include "rb2/result.hpp"

namespace rb2 {

namespace detail {
struct Operation;
}

/// A send or receive under way. Move-only; empty after completion, by default, and after a move.
/// Its buffer belongs to the library until it is complete, so the destructor does not return before: a
/// receive that no message has reached yet is cancelled, everything else is waited for.
class RB2_API [[nodiscard]] Request {
  public:
    Request() = default;
    explicit Request(detail::Operation* operation) noexcept : operation_(operation) {}
    Request(Request&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {}
    Request& operator=(Request&& other) noexcept;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() {
        if (operation_ != nullptr) end();
    }

    /// True while there is an operation to wait for.
    [[nodiscard]] bool active() const noexcept { return operation_ != nullptr; }

    /// Returns once the operation is complete. Of a send, the status holds nothing. An empty request is
    /// complete.
    Result<RecvStatus> wait();
    /// The same if the operation is complete already, else nothing. Makes progress.
    Result<std::optional<RecvStatus>> test();
    /// Takes back a receive that no message has reached. The request still completes: wait() then says
    /// whether it was cancelled. Sends are not cancelled.
    void cancel();

    [[nodiscard]] detail::Operation* operation() const noexcept { return operation_; }

  private:
    void end() noexcept;

    detail::Operation* operation_ = nullptr;
};

/// One request of a group that is complete.
struct Completed {
    std::size_t index = 0;  ///< in the group
    RecvStatus status;
};

/// Waits for all. `statuses`, when given, has one entry per request. The first error is returned, after all
/// are done.
RB2_API Result<void> wait_all(std::span<Request> requests, std::span<RecvStatus> statuses = {});
/// Waits until one is complete. Nothing when all requests are empty.
RB2_API Result<std::optional<Completed>> wait_any(std::span<Request> requests);
/// Waits until at least one is complete; all that are. Empty when all requests are empty.
RB2_API Result<std::vector<Completed>> wait_some(std::span<Request> requests);

/// The same without waiting; each makes progress once if nothing is complete.
/// True when all were complete; else none is touched.
RB2_API Result<bool> test_all(std::span<Request> requests, std::span<RecvStatus> statuses = {});
RB2_API Result<std::optional<Completed>> test_any(std::span<Request> requests);
RB2_API Result<std::vector<Completed>> test_some(std::span<Request> requests);

}  // namespace rb2
