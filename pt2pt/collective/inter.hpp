#pragma once
// Collectives over an intercommunicator (MPI 5.0, section 6.2.3): what one group gives, the other gets.
//
// Each is made of the algorithms among the own group and of messages across, to the remote one. Linear in the
// size of the remote group where every rank has something for every other. `steps` has the own group's ranks.

#include <cstdint>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective::inter {

/// Where the root of a call is, as seen from this rank.
struct Root {
    enum class Place : std::uint8_t {
        here,    ///< this rank
        beside,  ///< another one of the own group, which has no part in the call
        across,  ///< rank `rank` of the remote group
    };
    Place place;
    int rank = 0;

    [[nodiscard]] bool here() const noexcept { return place == Place::here; }
    [[nodiscard]] bool across() const noexcept { return place == Place::across; }
};

/// Over once every rank of both groups has called it.
void barrier(Schedule& steps);
/// `data` of the root arrives in `data` of all ranks across.
void broadcast(Schedule& steps, MutableBytes data, Root root);
/// `contribution` of all ranks across from the root, combined in rank order, into the root's `result`.
void reduce(Schedule& steps, Bytes contribution, MutableBytes result, const Reduction& reduction, Root root);
/// `contribution` of the remote group, combined in rank order, into `result` of all, which has its size.
void allreduce(Schedule& steps, Bytes contribution, MutableBytes result, const Reduction& reduction);
/// The same, but each rank gets its own of `blocks`, which are the own group's.
void reduce_scatter(Schedule& steps, Bytes contribution, std::span<const Block> blocks, MutableBytes result,
                    const Reduction& reduction);
/// The root's `blocks[r]` of `all` takes the `contribution` of rank r across.
void gather(Schedule& steps, Bytes contribution, std::byte* all, std::span<const Block> blocks, Root root);
/// Rank r across from the root takes its `blocks[r]` of `all` into `part`.
void scatter(Schedule& steps, const std::byte* all, std::span<const Block> blocks, MutableBytes part,
             Root root);
/// Block r of `in` goes to rank r across, block r of `out` comes from it.
void exchange(Schedule& steps, const std::byte* in, std::span<const Block> in_blocks, std::byte* out,
              std::span<const Block> out_blocks);

}  // namespace rb2::collective::inter
