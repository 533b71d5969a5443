// Gather and scatter, linear: the root exchanges one message with each rank, all under way at once.
//
// The data of all ranks ends (or starts) in the root's memory anyway, and between ranks of one machine each
// message is copied once. A tree (Thakur, Rabenseifner, Gropp 2005, see broadcast.cc) would save the root
// messages, but send most bytes log2 n times.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {

template <Steps S>
void gather(S& steps, Bytes contribution, std::byte* all, std::span<const Block> blocks, int root) {
    if (steps.rank() != root) return steps.send(contribution, root);
    for (int rank = 0; rank < steps.size(); ++rank) {
        const Block& block = blocks[static_cast<std::size_t>(rank)];
        if (rank != root)
            steps.receive({all + block.offset, block.bytes}, rank);
        else if (contribution.data() != nullptr)
            steps.copy(contribution, all + block.offset);
    }
}

template <Steps S>
void scatter(S& steps, const std::byte* all, std::span<const Block> blocks, MutableBytes part, int root) {
    if (steps.rank() != root) return steps.receive(part, root);
    for (int rank = 0; rank < steps.size(); ++rank) {
        const Block& block = blocks[static_cast<std::size_t>(rank)];
        if (rank != root)
            steps.send({all + block.offset, block.bytes}, rank);
        else if (part.data() != nullptr)
            steps.copy({all + block.offset, block.bytes}, part.data());
    }
}

template void gather(Immediate&, Bytes, std::byte*, std::span<const Block>, int);
template void gather(Schedule&, Bytes, std::byte*, std::span<const Block>, int);
template void scatter(Immediate&, const std::byte*, std::span<const Block>, MutableBytes, int);
template void scatter(Schedule&, const std::byte*, std::span<const Block>, MutableBytes, int);

}  // namespace rb2::collective
