#pragma once
// What ranks tell each other when they make a communicator.

#include <cstddef>
#include <span>
#include <vector>

#include "pt2pt/communicator.hpp"

namespace rb2::pt2pt {

/// A rank's wish in a split.
struct Wish {
    int has_color;
    int color;
    int key;
};

/// Ranks that wish `color`, ordered by key, then by rank.
[[nodiscard]] std::vector<int> ranks_of_color(std::span<const Wish> wishes, int color);

/// World ranks of `ranks` of `group`.
[[nodiscard]] std::vector<int> members_of(const Group& group, std::span<const int> ranks);

/// The wishes of all ranks of a communicator that is no intercommunicator. Collective.
Status gather_wishes(Communicator& communicator, Wish own, std::vector<Wish>& wishes);

/// Both at the same time; the sizes are what the other side expects.
Status swap_messages(const Communicator& over, int peer, std::uint32_t context, int tag,
                     std::span<const std::byte> out, std::span<std::byte> in);

/// What rank 0 of each group of an intercommunicator has in `out` arrives in `in` of all ranks of the other.
/// Collective.
Status swap_groups(Communicator& inter, std::span<const std::byte> out, std::span<std::byte> in);

}  // namespace rb2::pt2pt
