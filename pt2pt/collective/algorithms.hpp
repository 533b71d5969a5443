#pragma once
// Collective operations as algorithms: each says its steps to `steps`, which does them or notes them down.
//
// Each is called by all ranks of the communicator, in the same order and with matching sizes; roots are ranks
// of the communicator. Arguments are trusted: callers check them. Spans and blocks are used during the call,
// the memory they name until the steps are done.

#include <cstddef>
#include <span>

#include "pt2pt/collective/reduction.hpp"
#include "pt2pt/collective/steps.hpp"

namespace rb2::collective {

/// One rank's part of a larger buffer.
struct Block {
    std::size_t offset = 0;  ///< bytes
    std::size_t bytes = 0;
};

/// A block that goes to, or comes from, rank `peer`.
struct Piece {
    int peer = 0;
    Block block;
};

/// Over once every rank has called it.
template <Steps S>
void barrier(S& steps);

/// `data` of the root arrives in `data` of all. Same size everywhere.
template <Steps S>
void broadcast(S& steps, MutableBytes data, int root);

/// `contribution` of all, combined in rank order, into the root's `result` (not used elsewhere, may be
/// empty). `result` may be the same memory as `contribution`.
template <Steps S>
void reduce(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction, int root);

/// `data` of all, combined in rank order, into `data` of all.
template <Steps S>
void allreduce(S& steps, MutableBytes data, const Reduction& reduction);

/// `all` holds one block per rank, in rank order and all the same size; on entry only the own one is filled.
template <Steps S>
void allgather(S& steps, MutableBytes all);

/// `blocks[r]` of `all` is rank r's, at a place that each rank chooses and of a size that all give alike; on
/// entry only the own one is filled.
template <Steps S>
void allgatherv(S& steps, std::byte* all, std::span<const Block> blocks);

/// The root's `blocks[r]` of `all` takes rank r's `contribution`; `all` and `blocks` are used at the root
/// only. A root whose `contribution` is null has its own block in place already.
template <Steps S>
void gather(S& steps, Bytes contribution, std::byte* all, std::span<const Block> blocks, int root);

/// Rank r's `part` takes the root's `blocks[r]` of `all`; `all` and `blocks` are used at the root only.
/// A root whose `part` is null keeps its own block where it is.
template <Steps S>
void scatter(S& steps, const std::byte* all, std::span<const Block> blocks, MutableBytes part, int root);

/// Block r of `contribution` of all, combined in rank order, into `result` of rank r. The blocks cover the
/// contribution one behind the other; `result` has the size of the own one and may be anywhere in
/// `contribution`.
template <Steps S>
void reduce_scatter(S& steps, Bytes contribution, std::span<const Block> blocks, MutableBytes result,
                    const Reduction& reduction);

/// `data` of ranks 0 to r, combined in rank order, into `data` of rank r.
template <Steps S>
void scan(S& steps, MutableBytes data, const Reduction& reduction);

/// `contribution` of ranks 0 to r - 1, combined in rank order, into `result` of rank r; rank 0's is left
/// alone. `result` may be the same memory as `contribution`.
template <Steps S>
void exclusive_scan(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction);

/// Both hold one block per rank, all the same size: block r of `out` takes block `rank()` of rank r's `in`.
/// `in` and `out` may be the same memory, on all ranks or on none.
template <Steps S>
void alltoall(S& steps, Bytes in, MutableBytes out);

/// `out_blocks[r]` of `out` takes block `rank()` of rank r's `in`, which must have the same size.
template <Steps S>
void alltoallv(S& steps, const std::byte* in, std::span<const Block> in_blocks, std::byte* out,
               std::span<const Block> out_blocks);

/// The same on all ranks with one buffer and one set of blocks for both.
template <Steps S>
void alltoallv_in_place(S& steps, std::byte* all, std::span<const Block> blocks);

/// Sends the pieces of `in` and receives those of `out`, which do not overlap; a rank may be named several
/// times, also the own one. What rank a sends b, in order, meets what b receives from a, in order.
template <Steps S>
void neighbor_exchange(S& steps, const std::byte* in, std::span<const Piece> sends, std::byte* out,
                       std::span<const Piece> receives);

}  // namespace rb2::collective
