#pragma once
// Which of the kernel's congestion control algorithms governs the connections of this process.

#include <string>

namespace rb2::fabric::tcp {

/// What use_congestion() is to set. `wanted` is the user's choice (RB2_TCP_CONGESTION); throws StartupError
/// when the kernel refuses it. Without a wish the system's stays, and the result is empty, unless that is a
/// BBR: it spaces packets out by a timer, also within a message, which costs an interrupt for each message
/// and keeps its end back. Then it is cubic or reno, whichever this process may use.
[[nodiscard]] std::string choose_congestion(const std::string& wanted);

/// For a socket before it connects or listens: later, the spacing of the algorithm before it stays. What a
/// listening socket accepts has its algorithm. Whether the kernel does so.
bool use_congestion(int fd, const std::string& algorithm) noexcept;

}  // namespace rb2::fabric::tcp
