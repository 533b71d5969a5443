#include "runtime/channel/parameters.hpp"

#include <fmt/format.h>

#include "runtime/status.hpp"

namespace rb2::channel {

namespace {

void require(bool good, const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (good) return;
    throw StartupError(fmt::format("channel: {} is {}; choose {} to {}", name, value, least, most));
}

}  // namespace

const Parameters& validate(const Parameters& parameters) {
    const auto [slots, message_bytes, ring_bytes, credits] = parameters;
    require(slots >= 1 && slots <= kMaxSlots, "slots", slots, 1, kMaxSlots);
    require(message_bytes >= 1 && message_bytes <= kMaxMessageBytes, "message_bytes", message_bytes, 1,
            kMaxMessageBytes);
    const std::uint64_t least_ring = 2 * (word_aligned(message_bytes) + 2 * kWordBytes);
    require(ring_bytes >= least_ring && ring_bytes % kWordBytes == 0, "ring_bytes (a multiple of 8)",
            ring_bytes, least_ring, ~std::uint32_t{0});
    require(credits >= 1 && credits <= 1024, "credits_per_lap", credits, 1, 1024);
    return parameters;
}

}  // namespace rb2::channel
