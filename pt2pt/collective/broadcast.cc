// Broadcast: a binomial tree for short messages, scatter and ring allgather for long ones.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH",
// International Journal of High Performance Computing Applications 19(1), 2005, section 4.3. With n ranks and
// m bytes the tree costs ceil(log2 n) messages of m bytes one after the other; scatter and allgather move
// about 2 m bytes per rank whatever n is (the van de Geijn algorithm). Differs from the paper in: the scatter
// is linear from the root, as all its messages leave the same memory.

#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"
#include "pt2pt/collective/ring.hpp"

namespace rb2::collective {
namespace {

/// From this size on, with more than two ranks, moving each byte twice beats moving it log2 n times in
/// sequence.
constexpr std::size_t kLongMessage = 256U << 10;

Status binomial(Exchange& exchange, MutableBytes data, int root) {
    const int size = exchange.size();
    const int relative = (exchange.rank() + size - root) % size;
    const auto rank_of = [&](int position) { return (position + root) % size; };
    int span = 1;  // ends as the lowest set bit of `relative`: the subtree below this rank
    while (span < size && (relative & span) == 0) span *= 2;
    if (relative != 0) {
        const Status status = exchange.receive(data, rank_of(relative - span));
        if (status != Status::ok) return status;
    }
    for (int child = span / 2; child > 0; child /= 2) {
        if (relative + child >= size) continue;
        const Status status = exchange.send(data, rank_of(relative + child));
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

Status scatter_and_allgather(Communicator& communicator, MutableBytes data, int root) {
    const std::vector<Block> blocks = even_blocks(data.size(), communicator.size());
    const Block& own = blocks[static_cast<std::size_t>(communicator.rank())];
    const MutableBytes part =
        communicator.rank() == root ? MutableBytes() : data.subspan(own.offset, own.bytes);
    const Status status = scatter(communicator, data.data(), blocks, part, root);
    if (status != Status::ok) return status;
    Exchange exchange(communicator);
    return ring_allgather(exchange, data.data(), blocks);
}

}  // namespace

Status broadcast(Communicator& communicator, std::span<std::byte> data, int root) {
    if (data.size() >= kLongMessage && communicator.size() > 2)
        return scatter_and_allgather(communicator, data, root);
    Exchange exchange(communicator);
    return binomial(exchange, data, root);
}

}  // namespace rb2::collective
