// Allreduce: recursive doubling for short data, Rabenseifner's algorithm for long data.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on allreduce. Doubling: in round k partners at
// distance 2^k exchange all m bytes and combine them, log2 n messages. Rabenseifner's: rabenseifner.hpp.
// Numbers of ranks that are no power of two: folding.hpp. Differs from the paper in: the choice depends on
// the size alone, as for two ranks already half of the combining is saved. Where ranks share CPUs:
// crowded_allreduce.hpp, shared_reduction.hpp.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/crowded_allreduce.hpp"
#include "pt2pt/collective/folding.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/rabenseifner.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_reduction.hpp"

namespace rb2::collective {
namespace {

/// From this size on, twice the messages cost less than sending and combining all bytes in each round. About
/// where a message takes twice the time of an empty one.
constexpr std::size_t kLongData = 16U << 10;

template <Steps S>
void recursive_doubling(S& steps, const Folding& folding, MutableBytes data, const Reduction& reduction) {
    const MutableBytes other = steps.scratch(data.size());
    for (int distance = 1; distance < folding.active(); distance *= 2) {
        const int partner = folding.rank_at(folding.position() ^ distance);
        steps.receive(other, partner);
        steps.send(data, partner);
        steps.wait();
        combine_in_order(steps, reduction, data, other, (folding.position() & distance) != 0);
    }
}

}  // namespace

template <Steps S>
void allreduce(S& steps, MutableBytes data, const Reduction& reduction) {
    if constexpr (std::same_as<S, Immediate>) {
        if (SharedReduction::possible(steps, reduction))
            data = data.subspan(SharedReduction(steps, data, data, reduction).run());
        if (data.empty()) return;
    }
    if (steps.crowded() && steps.size() > 2 && steps.size() <= kExchangeRanks)
        return data.size() < kLongData ? combine_everywhere(steps, data, reduction)
                                       : combine_by_blocks(steps, data, reduction);
    const Folding folding(steps.rank(), steps.size());
    if (folding.hands_over()) {
        steps.send(data, folding.other());
        steps.wait();
        return steps.receive(data, folding.other());
    }
    if (folding.takes_over()) {
        const MutableBytes other = steps.scratch(data.size());
        steps.receive(other, folding.other());
        steps.wait();
        steps.combine(reduction, other, data);
    }
    const std::size_t elements = data.size() / reduction.element_bytes;
    if (data.size() >= kLongData && elements >= static_cast<std::size_t>(folding.active())) {
        Rabenseifner halves(steps, folding, data, reduction);
        halves.reduce_scatter();
        halves.allgather();
    } else {
        recursive_doubling(steps, folding, data, reduction);
    }
    if (folding.takes_over()) steps.send(data, folding.other());
}

template void allreduce(Immediate&, MutableBytes, const Reduction&);
template void allreduce(Schedule&, MutableBytes, const Reduction&);

}  // namespace rb2::collective
