#include "pt2pt/collective/inter.hpp"

namespace rb2::collective::inter {
namespace {

constexpr int kLeader = 0;  // of each group

bool leads(const Schedule& steps) { return steps.rank() == kLeader; }

/// The contributions of the own group, combined, at its leader; elsewhere no memory.
MutableBytes reduce_to_leader(Schedule& steps, Bytes contribution, const Reduction& reduction) {
    const MutableBytes sum = leads(steps) ? steps.scratch(contribution.size()) : MutableBytes();
    collective::reduce(steps, contribution, sum, reduction, kLeader);
    steps.wait();
    return sum;
}

/// The leaders give each other what they have.
void swap_leaders(Schedule& steps, Bytes out, MutableBytes in) {
    if (!leads(steps)) return;
    steps.receive_across(in, kLeader);
    steps.send_across(out, kLeader);
    steps.wait();
}

}  // namespace

void barrier(Schedule& steps) {
    collective::barrier(steps);
    steps.wait();
    swap_leaders(steps, {}, {});
    collective::barrier(steps);
}

void broadcast(Schedule& steps, MutableBytes data, Root root) {
    if (root.here()) steps.send_across(data, kLeader);
    if (!root.across()) return;
    if (leads(steps)) steps.receive_across(data, root.rank);
    steps.wait();
    collective::broadcast(steps, data, kLeader);
}

void reduce(Schedule& steps, Bytes contribution, MutableBytes result, const Reduction& reduction, Root root) {
    if (root.here()) steps.receive_across(result, kLeader);
    if (!root.across()) return;
    const Bytes sum = reduce_to_leader(steps, contribution, reduction);
    if (leads(steps)) steps.send_across(sum, root.rank);
}

void allreduce(Schedule& steps, Bytes contribution, MutableBytes result, const Reduction& reduction) {
    swap_leaders(steps, reduce_to_leader(steps, contribution, reduction), result);
    collective::broadcast(steps, result, kLeader);
}

void reduce_scatter(Schedule& steps, Bytes contribution, std::span<const Block> blocks, MutableBytes result,
                    const Reduction& reduction) {
    const MutableBytes sum = reduce_to_leader(steps, contribution, reduction);
    const MutableBytes theirs = steps.scratch(sum.size());
    swap_leaders(steps, sum, theirs);
    collective::scatter(steps, theirs.data(), blocks, result, kLeader);
}

void gather(Schedule& steps, Bytes contribution, std::byte* all, std::span<const Block> blocks, Root root) {
    if (root.across()) steps.send_across(contribution, root.rank);
    for (std::size_t rank = 0; root.here() && rank < blocks.size(); ++rank)
        steps.receive_across({all + blocks[rank].offset, blocks[rank].bytes}, static_cast<int>(rank));
}

void scatter(Schedule& steps, const std::byte* all, std::span<const Block> blocks, MutableBytes part,
             Root root) {
    if (root.across()) steps.receive_across(part, root.rank);
    for (std::size_t rank = 0; root.here() && rank < blocks.size(); ++rank)
        steps.send_across({all + blocks[rank].offset, blocks[rank].bytes}, static_cast<int>(rank));
}

void exchange(Schedule& steps, const std::byte* in, std::span<const Block> in_blocks, std::byte* out,
              std::span<const Block> out_blocks) {
    for (std::size_t rank = 0; rank < out_blocks.size(); ++rank)
        steps.receive_across({out + out_blocks[rank].offset, out_blocks[rank].bytes}, static_cast<int>(rank));
    for (std::size_t rank = 0; rank < in_blocks.size(); ++rank)
        steps.send_across({in + in_blocks[rank].offset, in_blocks[rank].bytes}, static_cast<int>(rank));
}

}  // namespace rb2::collective::inter
