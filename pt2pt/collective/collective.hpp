#pragma once
// Collective operations on bytes that return when they are done: algorithms.hpp, run at once.
//
// Each is called by all ranks of the communicator, in the same order and with matching sizes. A result other
// than ok is that of the first message that failed, and the buffers then hold no meaning.

#include <cstddef>
#include <span>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/communicator.hpp"

namespace rb2::collective {

using pt2pt::Communicator;

Status barrier(Communicator& communicator);
Status broadcast(Communicator& communicator, MutableBytes data, int root);
Status reduce(Communicator& communicator, Bytes contribution, MutableBytes result, const Reduction& reduction,
              int root);
Status allreduce(Communicator& communicator, MutableBytes data, const Reduction& reduction);
Status allgather(Communicator& communicator, MutableBytes all);
Status alltoallv(Communicator& communicator, const std::byte* in, std::span<const Block> in_blocks,
                 std::byte* out, std::span<const Block> out_blocks);

}  // namespace rb2::collective
