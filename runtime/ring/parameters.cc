#include "runtime/ring/parameters.hpp"

#include <bit>

#include <fmt/format.h>

#include "runtime/status.hpp"

namespace rb2::ring {

namespace {

void require(bool holds, const char* name, std::uint64_t value, const char* rule, std::uint64_t slots) {
    if (holds) return;
    throw StartupError(
        fmt::format("ring: {} = {} must be {} (the ring has {} slots); change {} or the slot count", name,
                    value, rule, slots, name));
}

}  // namespace

const Parameters& validate(const Parameters& p, bool batches) {
    require(std::has_single_bit(p.slots) && p.slots >= 8, "slots", p.slots, "a power of two of at least 8",
            p.slots);
    require(p.slots <= std::uint64_t{1} << 31, "slots", p.slots, "at most 2^31, so that bells stay distinct",
            p.slots);
    require(p.gamma >= 1 && p.gamma <= p.slots / 2, "gamma", p.gamma, "between 1 and half the slots",
            p.slots);
    if (!batches) return p;
    require(p.alpha >= 1 && p.alpha <= p.slots / 2, "alpha", p.alpha, "between 1 and half the slots",
            p.slots);
    require(p.beta >= 1 && p.beta <= p.alpha, "beta", p.beta, "between 1 and alpha", p.slots);
    return p;
}

void throw_unmapped(std::size_t bytes) {
    throw StartupError(
        fmt::format("ring: the peer's mapped memory does not hold the ring of {} bytes at the agreed place; "
                    "both ranks must be of "
                    "the same build and use the same ring sizes",
                    bytes));
}

}  // namespace rb2::ring
