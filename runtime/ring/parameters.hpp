#pragma once
// The numbers a ring is built with. Both sides of one ring are given the same ones.

#include <cstddef>
#include <cstdint>

namespace rb2::ring {

/// Counts are in slots. The defaults are the paper's (rb2 paper, §IV-A and §V-A).
struct Parameters {
    std::uint64_t slots = 128;  ///< N: a power of two, at least 8
    std::uint64_t alpha =
        32;  ///< pointer advancement after this many, beta <= alpha <= N/2 (batching mixes only)
    std::uint64_t beta = 16;   ///< slot transmission after this many, at least 1 (batching mixes only)
    std::uint64_t gamma = 32;  ///< lazy push of the head after this many, 1 <= gamma <= N/2
    std::uint64_t start = 0;   ///< first position; other than 0 needs format() on the memory. For tests.

    /// The ring as messaging uses it: the head goes back four times a lap.
    [[nodiscard]] static constexpr Parameters messaging(std::uint64_t slots) noexcept {
        return {.slots = slots, .alpha = slots / 4, .beta = slots / 8, .gamma = slots / 4};
    }

    /// Largest record in slots. A record of m slots may need m - 1 slots of padding before it, and the
    /// receiver may hold back gamma - 1 consumed slots, so 2m - 1 <= N - gamma is what an idle ring can
    /// always take.
    [[nodiscard]] constexpr std::uint64_t max_record_slots() const noexcept {
        return (slots - gamma + 1) / 2;
    }
};

/// Throws StartupError naming the parameter that is out of range, its value and the limit. alpha and beta
/// count only if the mix batches. Returns the parameters.
const Parameters& validate(const Parameters& parameters, bool batches);

/// Throws StartupError: the peer's mapping does not hold a ring of `bytes` at the place the wiring names.
[[noreturn]] void throw_unmapped(std::size_t bytes);

}  // namespace rb2::ring
