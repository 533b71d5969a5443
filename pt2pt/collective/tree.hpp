#pragma once
// The tree along which data leaves a root, or comes to it.
//
// Usually binomial (Thakur, Rabenseifner, Gropp 2005, see broadcast.cc): ceil(log2 n) messages one after the
// other. Where ranks share CPUs a message waits for its receiver's turn, which takes longer than sending
// another one, so the root then speaks to all itself: nobody waits for a rank that waits for another.

#include "pt2pt/collective/steps.hpp"

namespace rb2::collective {

/// Beyond it the root would be busy for longer than the others wait for their turns.
constexpr int kFlatRanks = 32;

class Tree {
  public:
    template <Steps S>
    Tree(const S& steps, int root)
        : size_(steps.size()),
          root_(root),
          relative_((steps.rank() + size_ - root) % size_),
          flat_(steps.crowded() && size_ <= kFlatRanks) {
        span_ = flat_ && relative_ != 0 ? 1 : flat_ ? size_ : lowest_bit();
    }

    /// Whether the root speaks to all itself.
    [[nodiscard]] bool flat() const noexcept { return flat_; }
    [[nodiscard]] bool is_root() const noexcept { return relative_ == 0; }
    /// Of all but the root.
    [[nodiscard]] int parent() const noexcept { return flat_ ? root_ : rank_of(relative_ - span_); }
    /// Those with the most ranks below first.
    template <class Visit>
    void for_each_child(Visit visit) const {
        if (flat_) {
            for (int child = 1; child < span_; ++child) visit(rank_of(child));
        } else {
            for (int child = span_ / 2; child > 0; child /= 2)
                if (relative_ + child < size_) visit(rank_of(relative_ + child));
        }
    }

  private:
    /// Of the own place; at the root the first power of two that is not below the number of ranks.
    [[nodiscard]] int lowest_bit() const noexcept {
        int bit = 1;
        while (bit < size_ && (relative_ & bit) == 0) bit *= 2;
        return bit;
    }
    [[nodiscard]] int rank_of(int relative) const noexcept { return (relative + root_) % size_; }

    int size_;
    int root_;
    int relative_;  // the own place, the root's being 0
    bool flat_;
    int span_;  // number of places from the own one on that belong to the own subtree; some may not exist
};

/// From the root to all.
template <Steps S>
void send_down(S& steps, const Tree& tree, MutableBytes data) {
    if (!tree.is_root()) {
        steps.receive(data, tree.parent());
        steps.wait();
    }
    tree.for_each_child([&](int child) { steps.send(data, child); });
}

}  // namespace rb2::collective
