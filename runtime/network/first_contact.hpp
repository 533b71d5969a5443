#pragma once
// What the networks have in common that meet their peers at first contact.

#include <chrono>

namespace rb2::network {

/// Who waits for a message leaves the call to the sender for so long: mostly it calls, and both need not.
inline constexpr std::chrono::milliseconds kAskAfter{100};

}  // namespace rb2::network
