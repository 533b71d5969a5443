#pragma once
// Memory of a side, registered with the endpoint that works on it.

#include <cstddef>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "runtime/fabric/fabric.hpp"
#include "runtime/status.hpp"

namespace rb2::channel {

/// Throws StartupError when `memory` is shorter than `bytes`.
inline std::span<std::byte> enough(std::span<std::byte> memory, std::size_t bytes) {
    if (memory.size() >= bytes) return memory.first(bytes);
    throw StartupError(
        fmt::format("channel: {} bytes of memory given where {} are needed; see sender_needs(), "
                    "receiver_needs(), pool_bytes()",
                    memory.size(), bytes));
}

/// The first `bytes` of `memory`, registered; nothing at all for no bytes. Throws StartupError when `memory`
/// is shorter, or where the endpoint cannot register it.
template <fabric::Endpoint E>
class Registered {
  public:
    Registered(E& endpoint, std::span<std::byte> memory, std::size_t bytes) : memory_(enough(memory, bytes)) {
        if (bytes != 0) region_.emplace(endpoint.register_memory(memory_));
    }

    [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
    [[nodiscard]] std::uint64_t* words() const noexcept {
        return reinterpret_cast<std::uint64_t*>(memory_.data());
    }
    [[nodiscard]] fabric::Key key() const noexcept { return region_ ? region_->key() : 0; }
    [[nodiscard]] fabric::Remote remote() const noexcept {
        return region_ ? region_->remote() : fabric::Remote{};
    }

  private:
    std::span<std::byte> memory_;
    std::optional<typename E::Region> region_;
};

}  // namespace rb2::channel
