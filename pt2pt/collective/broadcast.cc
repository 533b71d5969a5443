// Broadcast: a binomial tree for short messages, scatter and ring allgather for long ones.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH",
// International Journal of High Performance Computing Applications 19(1), 2005, on broadcast. With n ranks
// and m bytes the tree costs ceil(log2 n) messages of m bytes one after the other; scatter and allgather move
// about 2 m bytes per rank whatever n is (the van de Geijn algorithm). Differs from the paper in: the scatter
// is linear from the root, as all its messages leave the same memory.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/ring.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {
namespace {

/// From this size on, with more than two ranks, moving each byte twice beats moving it log2 n times in
/// sequence.
constexpr std::size_t kLongMessage = 256U << 10;

template <Steps S>
void binomial(S& steps, MutableBytes data, int root) {
    const int size = steps.size();
    const int relative = (steps.rank() + size - root) % size;
    const auto rank_of = [&](int position) { return (position + root) % size; };
    int span = 1;  // ends as the lowest set bit of `relative`: the subtree below this rank
    while (span < size && (relative & span) == 0) span *= 2;
    if (relative != 0) {
        steps.receive(data, rank_of(relative - span));
        steps.wait();
    }
    for (int child = span / 2; child > 0; child /= 2)
        if (relative + child < size) steps.send(data, rank_of(relative + child));
}

template <Steps S>
void scatter_and_allgather(S& steps, MutableBytes data, int root) {
    const std::vector<Block> blocks = even_blocks(data.size(), steps.size());
    const Block& own = blocks[static_cast<std::size_t>(steps.rank())];
    const MutableBytes part = steps.rank() == root ? MutableBytes() : data.subspan(own.offset, own.bytes);
    scatter(steps, data.data(), blocks, part, root);
    steps.wait();
    ring_allgather(steps, data.data(), blocks);
}

}  // namespace

template <Steps S>
void broadcast(S& steps, MutableBytes data, int root) {
    if (data.size() >= kLongMessage && steps.size() > 2)
        scatter_and_allgather(steps, data, root);
    else
        binomial(steps, data, root);
}

template void broadcast(Immediate&, MutableBytes, int);
template void broadcast(Schedule&, MutableBytes, int);

}  // namespace rb2::collective
