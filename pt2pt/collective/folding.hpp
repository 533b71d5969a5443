#pragma once
// Any number of ranks for algorithms that need a power of two.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on reduce-scatter and allreduce: with n not a power of
// two, the first 2 r ranks (r = n minus the largest power of two) pair up; the even ones hand their data to
// the odd ones, which take part for both, and get the result back from them. Positions cover consecutive
// ranks in order, so operations that do not commute are right too.

#include <bit>

#include "pt2pt/collective/steps.hpp"

namespace rb2::collective {

class Folding {
  public:
    Folding(int rank, int size)
        : rank_(rank),
          active_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
          pairs_(size - active_) {}

    /// Number of positions: the largest power of two that is not above the number of ranks.
    [[nodiscard]] int active() const noexcept { return active_; }
    /// The rank's data is another's, which takes part for it.
    [[nodiscard]] bool hands_over() const noexcept { return paired() && rank_ % 2 == 0; }
    [[nodiscard]] bool takes_over() const noexcept { return paired() && rank_ % 2 == 1; }
    /// The other rank of a pair.
    [[nodiscard]] int other() const noexcept { return rank_ ^ 1; }
    /// The own position; of ranks that do not hand over.
    [[nodiscard]] int position() const noexcept { return paired() ? rank_ / 2 : rank_ - pairs_; }

    /// Rank that stands at a position.
    [[nodiscard]] int rank_at(int position) const noexcept {
        return position < pairs_ ? 2 * position + 1 : position + pairs_;
    }
    /// Lowest rank that a position works for; it works for all up to the next position's.
    [[nodiscard]] int first_rank(int position) const noexcept {
        return position < pairs_ ? 2 * position : position + pairs_;
    }

  private:
    [[nodiscard]] bool paired() const noexcept { return rank_ < 2 * pairs_; }

    int rank_;
    int active_;
    int pairs_;
};

/// `inout` and `other` (which is used up) combined into `inout`, whichever belongs to the lower ranks.
template <Steps S>
void combine_in_order(S& steps, const Reduction& reduction, MutableBytes inout, MutableBytes other,
                      bool other_is_lower) {
    if (other_is_lower || reduction.commutative) {
        steps.combine(reduction, other, inout);
    } else {
        steps.combine(reduction, inout, other);
        steps.copy(other, inout.data());
    }
}

}  // namespace rb2::collective
