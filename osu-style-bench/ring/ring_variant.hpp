#pragma once

#include "osu-style-bench/ring/loads.hpp"
#include "osu-style-bench/ring/ring_link.hpp"
#include "osu-style-bench/ring/subject.hpp"

namespace rb2::bench::study {

/// A mix on both fabrics, or on shared memory alone where it stores into the peer's memory.
template <class M>
Variant ring_variant() {
    constexpr std::size_t slot_bytes = M::Layout::kSlotBytes;
    if constexpr (M::Placement::kInPlace) {
        return {slot_bytes, run_job<RingLink<M, Bare>>, nullptr};
    } else {
        return {slot_bytes, run_job<RingLink<M, Bare>>, run_job<RingLink<M, Costed>>};
    }
}

/// The same without the case studies.
template <class M>
Variant swept_variant() {
    return {M::Layout::kSlotBytes, run_swept<RingLink<M, Bare>>, run_swept<RingLink<M, Costed>>};
}

}  // namespace rb2::bench::study
