#pragma once
// The ranks of a communicator: which world rank each is, and back.

#include <algorithm>
#include <utility>
#include <vector>

namespace rb2::pt2pt {

class Group {
  public:
    /// Ranks 0 … size - 1 are the world ranks of the same number: no table, no look-up.
    static Group identity(int size) {
        Group group;
        group.size_ = size;
        return group;
    }

    /// `members[r]` is the world rank of rank r. Distinct, at least one.
    explicit Group(std::vector<int> members)
        : size_(static_cast<int>(members.size())), members_(std::move(members)) {
        local_.assign(static_cast<std::size_t>(*std::max_element(members_.begin(), members_.end())) + 1, -1);
        for (int rank = 0; rank < size_; ++rank) local_[index(members_[index(rank)])] = rank;
    }

    [[nodiscard]] int size() const noexcept { return size_; }

    /// World rank of `rank`, which must be in 0 … size - 1.
    [[nodiscard]] int world_rank(int rank) const noexcept {
        return members_.empty() ? rank : members_[index(rank)];
    }

    /// Rank here of a world rank; values below zero (wildcards, null ranks) stay as they are, others that are
    /// no member give -1.
    [[nodiscard]] int local_rank(int world_rank) const noexcept {
        if (members_.empty() || world_rank < 0) return world_rank;
        return index(world_rank) < local_.size() ? local_[index(world_rank)] : -1;
    }

  private:
    Group() = default;
    static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }

    int size_ = 0;
    std::vector<int> members_;  // empty: identity
    std::vector<int> local_;    // by world rank; -1: no member
};

}  // namespace rb2::pt2pt
