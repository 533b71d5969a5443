#include "osu-style-bench/ring/shape.hpp"

#include <algorithm>
#include <bit>

namespace rb2::bench::study {
namespace {

constexpr std::uint64_t kFewestSlots = 8;  // no ring has fewer

/// What `share` of `whole` messages is in a ring of `slots`.
std::uint64_t scaled(std::uint64_t share, std::uint64_t whole, std::uint64_t slots) {
    return std::clamp<std::uint64_t>(slots * share / whole, 1, slots / 2);
}

}  // namespace

rb2::ring::Parameters slots_of(const RingShape& shape, std::uint64_t message_slots, std::size_t slot_bytes) {
    const std::uint64_t wanted = std::bit_ceil(shape.messages * message_slots);
    const std::uint64_t most = std::bit_floor(std::max<std::uint64_t>(shape.most_bytes / slot_bytes, 1));
    rb2::ring::Parameters parameters{.slots = std::max(std::min(wanted, most), kFewestSlots)};
    parameters.alpha = scaled(shape.alpha, shape.messages, parameters.slots);
    parameters.beta = std::min(parameters.alpha, scaled(shape.beta, shape.messages, parameters.slots));
    parameters.gamma = scaled(shape.gamma, shape.messages, parameters.slots);
    return parameters;
}

}  // namespace rb2::bench::study
