#pragma once
// Where registering becomes cheaper than copying: "Minimizing the Hidden Cost of RDMA", section 4.1, figures
// 8 and 9. Shorter messages are copied through memory that is registered already, longer ones are registered.

#include <limits>

#include "runtime/memory/critical_size/curves.hpp"

namespace rb2::memory::critical_size {

/// Bytes from which on the cost is lower, all the way up; kNever when copying stays cheaper.
struct Crossing {
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    /// Registering alone: when the deregistration is put off (by a cache) or overlapped. The paper's figures.
    std::uint64_t registering = kNever;
    /// Registering and deregistering: what one message costs whose memory is not used again.
    std::uint64_t reregistering = kNever;

    friend bool operator==(Crossing, Crossing) = default;
};

/// What protocol selection needs to know of a host and device; a plain value.
struct Crossings {
    std::array<Crossing, kBuffers.size()> of{};  ///< by index_of(Buffer)

    [[nodiscard]] constexpr const Crossing& at(Buffer buffer) const noexcept { return of[index_of(buffer)]; }
    friend bool operator==(const Crossings&, const Crossings&) = default;
};

/// The crossings of measured curves.
[[nodiscard]] Crossings find_crossings(const Curves& curves);

/// Before anything is measured: what the paper found (256 KiB with resident pages, 32 KiB without), and twice
/// that where the memory is deregistered again.
[[nodiscard]] constexpr Crossings usual_crossings() noexcept {
    constexpr Crossing resident{256U << 10, 512U << 10};
    constexpr Crossing faulting{32U << 10, 64U << 10};
    return {{resident, faulting, resident, faulting}};
}

}  // namespace rb2::memory::critical_size
