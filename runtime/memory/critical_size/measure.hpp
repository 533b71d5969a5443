#pragma once
// Measures the curves of "Minimizing the Hidden Cost of RDMA", sections 3.3 and 3.4 (figures 5 and 6), on
// this host.
//
// Differs from the paper in
//   copying   between the program's buffer and one bounce buffer of at most 1 MiB that is used again and
//   again, as the copy
//             path does; the paper copies to a region of the same size. Where pages are not there the buffer
//             is the destination (a receive): reading pages that were never written would only find the zero
//             page.
//   sizes     4 KiB to 64 MiB, in powers of two; below, both are flat
//   figure    the smallest of some repetitions: what the machine can do, not what else it did meanwhile

#include "runtime/memory/critical_size/curves.hpp"
#include "runtime/memory/registration/registrar.hpp"

namespace rb2::memory::critical_size {

struct Plan {
    std::uint64_t least_bytes = 4U << 10;
    std::uint64_t most_bytes = 64U << 20;
    int repetitions = 5;  ///< of sizes up to 1 MiB; of larger ones fewer
};

/// Takes one to a few seconds. Where registering a size fails (a limit), that curve ends; where memory for a
/// size cannot be had, all do. Registers for local_write and remote_write.
[[nodiscard]] Curves measure(registration::Registrar& registrar, const Plan& plan = {});

}  // namespace rb2::memory::critical_size
