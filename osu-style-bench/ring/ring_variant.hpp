#pragma once

#include "osu-style-bench/ring/loads.hpp"
#include "osu-style-bench/ring/ring_link.hpp"
#include "osu-style-bench/ring/subject.hpp"

namespace rb2::bench::study {

/// What `LinkOn<Bare>` and `LinkOn<Costed>` carry.
template <template <class On> class LinkOn>
Variant link_variant(std::size_t slot_bytes) {
    return {slot_bytes, run_job<LinkOn<Bare>>, run_job<LinkOn<Costed>>};
}

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

}  // namespace rb2::bench::study
