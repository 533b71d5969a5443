#include "pt2pt/collective/collective.hpp"

#include "pt2pt/collective/immediate.hpp"

namespace rb2::collective {

Status barrier(Communicator& communicator) {
    Immediate steps(communicator);
    barrier(steps);
    return steps.finish();
}

Status broadcast(Communicator& communicator, MutableBytes data, int root) {
    Immediate steps(communicator);
    broadcast(steps, data, root);
    return steps.finish();
}

Status reduce(Communicator& communicator, Bytes contribution, MutableBytes result, const Reduction& reduction,
              int root) {
    Immediate steps(communicator);
    reduce(steps, contribution, result, reduction, root);
    return steps.finish();
}

Status allreduce(Communicator& communicator, MutableBytes data, const Reduction& reduction) {
    Immediate steps(communicator);
    allreduce(steps, data, reduction);
    return steps.finish();
}

Status allgather(Communicator& communicator, MutableBytes all) {
    Immediate steps(communicator);
    allgather(steps, all);
    return steps.finish();
}

Status alltoallv(Communicator& communicator, const std::byte* in, std::span<const Block> in_blocks,
                 std::byte* out, std::span<const Block> out_blocks) {
    Immediate steps(communicator);
    alltoallv(steps, in, in_blocks, out, out_blocks);
    return steps.finish();
}

}  // namespace rb2::collective
