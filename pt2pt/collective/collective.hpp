#pragma once
// Collective operations over point-to-point messages, on bytes. Both interfaces use them.
//
// Each is called by all ranks of the communicator, in the same order and with matching sizes; roots are ranks
// of the communicator. The calls block. Arguments are trusted: callers check them. A result other than ok is
// that of the first message that failed, and the buffers then hold no meaning.

#include <cstddef>
#include <span>

#include "pt2pt/collective/reduction.hpp"
#include "pt2pt/communicator.hpp"

namespace rb2::collective {

using pt2pt::Communicator;

/// Returns once every rank has called it.
Status barrier(Communicator& communicator);

/// `data` of the root arrives in `data` of all. Same size everywhere.
Status broadcast(Communicator& communicator, std::span<std::byte> data, int root);

/// `contribution` of all, combined in rank order, into the root's `result` (not used elsewhere, may be
/// empty). `result` may be the same memory as `contribution`.
Status reduce(Communicator& communicator, std::span<const std::byte> contribution,
              std::span<std::byte> result, const Reduction& reduction, int root);

/// `data` of all, combined in rank order, into `data` of all.
Status allreduce(Communicator& communicator, std::span<std::byte> data, const Reduction& reduction);

/// `all` holds one block per rank, in rank order and all the same size; on entry only the own one is filled.
Status allgather(Communicator& communicator, std::span<std::byte> all);

/// One rank's part of a larger buffer.
struct Block {
    std::size_t offset = 0;  ///< bytes
    std::size_t bytes = 0;
};

/// `blocks[r]` of `all` is rank r's, at a place that each rank chooses and of a size that all give alike; on
/// entry only the own one is filled.
Status allgatherv(Communicator& communicator, std::byte* all, std::span<const Block> blocks);

/// The root's `blocks[r]` of `all` takes rank r's `contribution`; `all` and `blocks` are used at the root
/// only. A root whose `contribution` is null has its own block in place already.
Status gather(Communicator& communicator, std::span<const std::byte> contribution, std::byte* all,
              std::span<const Block> blocks, int root);

/// Rank r's `part` takes the root's `blocks[r]` of `all`; `all` and `blocks` are used at the root only.
/// A root whose `part` is null keeps its own block where it is.
Status scatter(Communicator& communicator, const std::byte* all, std::span<const Block> blocks,
               std::span<std::byte> part, int root);

/// Block r of `contribution` of all, combined in rank order, into `result` of rank r. The blocks cover the
/// contribution one behind the other; `result` has the size of the own one and may be anywhere in
/// `contribution`.
Status reduce_scatter(Communicator& communicator, std::span<const std::byte> contribution,
                      std::span<const Block> blocks, std::span<std::byte> result, const Reduction& reduction);

/// `data` of ranks 0 to r, combined in rank order, into `data` of rank r.
Status scan(Communicator& communicator, std::span<std::byte> data, const Reduction& reduction);

/// `contribution` of ranks 0 to r - 1, combined in rank order, into `result` of rank r; rank 0's is left
/// alone. `result` may be the same memory as `contribution`.
Status exclusive_scan(Communicator& communicator, std::span<const std::byte> contribution,
                      std::span<std::byte> result, const Reduction& reduction);

/// Both hold one block per rank, all the same size: block r of `out` takes block `rank()` of rank r's `in`.
/// `in` and `out` may be the same memory, on all ranks or on none.
Status alltoall(Communicator& communicator, std::span<const std::byte> in, std::span<std::byte> out);

/// `out_blocks[r]` of `out` takes block `rank()` of rank r's `in`, which must have the same size.
Status alltoallv(Communicator& communicator, const std::byte* in, std::span<const Block> in_blocks,
                 std::byte* out, std::span<const Block> out_blocks);

/// The same on all ranks with one buffer and one set of blocks for both.
Status alltoallv_in_place(Communicator& communicator, std::byte* all, std::span<const Block> blocks);

}  // namespace rb2::collective
