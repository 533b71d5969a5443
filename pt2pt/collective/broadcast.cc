// Broadcast: a binomial tree for short messages, scatter and ring allgather for long ones.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH",
// International Journal of High Performance Computing Applications 19(1), 2005, on broadcast. With n ranks
// and m bytes the tree costs ceil(log2 n) messages of m bytes one after the other; scatter and allgather move
// about 2 m bytes per rank whatever n is (the van de Geijn algorithm). Differs from the paper in: the scatter
// is linear from the root, as all its messages leave the same memory; where ranks share CPUs long messages go
// along the tree (tree.hpp), too, as each rank then waits once only, or through shared memory
// (shared_broadcast.hpp).

#include <concepts>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/ring.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_broadcast.hpp"
#include "pt2pt/collective/tree.hpp"

namespace rb2::collective {
namespace {

/// From this size on, with more than two ranks, moving each byte twice beats moving it log2 n times in
/// sequence.
constexpr std::size_t kLongMessage = 256U << 10;

template <Steps S>
void scatter_and_allgather(S& steps, MutableBytes data, int root) {
    const std::vector<Block> blocks = even_blocks(data.size(), steps.size());
    const Block& own = blocks[static_cast<std::size_t>(steps.rank())];
    const MutableBytes part = steps.rank() == root ? MutableBytes() : data.subspan(own.offset, own.bytes);
    scatter(steps, data.data(), blocks, part, root);
    steps.wait();
    ring_allgather(steps, data.data(), blocks);
}

/// False: there are no banks for this broadcast.
bool through_banks(Immediate& steps, MutableBytes data, int root) {
    SharedBanks* const banks = banks_for(steps, data.size(), root);
    if (banks == nullptr) return false;
    const Tree tree(steps, root);
    tree.is_root() ? show(steps, *banks, data, tree) : look(steps, *banks, data, root);
    return true;
}

}  // namespace

template <Steps S>
void broadcast(S& steps, MutableBytes data, int root) {
    if constexpr (std::same_as<S, Immediate>)  // a schedule is executed later, when the banks may be taken
        if (through_banks(steps, data, root)) return;
    if (data.size() >= kLongMessage && steps.size() > 2 && !steps.crowded())
        scatter_and_allgather(steps, data, root);
    else
        send_down(steps, Tree(steps, root), data);
}

template void broadcast(Immediate&, MutableBytes, int);
template void broadcast(Schedule&, MutableBytes, int);

}  // namespace rb2::collective
