#pragma once
// One call in which the ranks of a host meet through shared memory: each shows on its board that it has come,
// and looks at the others'.
//
// J. Mellor-Crummey, M. Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors",
// ACM TOCS 9(1), 1991, section 3: flags of one writer each, and two of them in turn. They hold the number of
// the meeting in place of a sense. Differs from the paper in: a rank that waits goes on with its messages,
// and sleeps in the end, so whoever comes rings those who may wait.

#include <atomic>
#include <cstdint>

#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/shared_memory.hpp"

namespace rb2::collective {

class Gathering {
  public:
    /// Whether the communicator can meet so. All its ranks come to the same answer.
    [[nodiscard]] static bool possible(const Immediate& steps) noexcept {
        return steps.size() > 1 && steps.place() < SharedBoard::kPlaces &&
               shared_memory(steps, steps.rank()) != nullptr;
    }

    explicit Gathering(Immediate& steps) noexcept
        : steps_(steps), place_(steps.place()), number_(board(steps.rank()).last(place_) + 1) {}

    /// What a rank contributes to the current meeting: the own part to be written before come(), the others'
    /// to be read once they have come.
    [[nodiscard]] SharedBoard::Contribution& contribution(int rank) const noexcept {
        return board(rank).contribution(place_, number_);
    }

    /// Shows `rank`, or everybody, that this one has come.
    void come(int rank) noexcept {
        show();
        steps_.ring(rank);
    }
    void come() noexcept {
        show();
        for (int rank = 0; rank < steps_.size(); ++rank)
            if (rank != steps_.rank()) steps_.ring(rank);
    }

    /// Until all the others have come.
    void wait_for_all() {
        steps_.wait_for_sign([this] { return missing() == kNobody; }, [this] { return missing(); });
    }
    /// Until `rank` has, which comes after all the others.
    void wait_for_last(int rank) {
        steps_.wait_for_sign([this, rank] { return has_come(rank); }, [this, rank] { return missing(rank); });
    }

    /// For another meeting in the same call.
    void next() noexcept { ++number_; }

  private:
    static constexpr int kNobody = Immediate::kNobody;

    void show() noexcept {
        // Release: whoever sees it sees the contribution, and what was written to banks.
        contribution(steps_.rank()).number.store(number_, std::memory_order_release);
    }
    [[nodiscard]] SharedBoard& board(int rank) const noexcept { return shared_memory(steps_, rank)->board; }
    [[nodiscard]] bool has_come(int rank) const noexcept {
        // Acquire: pairs with come(). One that has gone on to the next meeting shows that elsewhere.
        return contribution(rank).number.load(std::memory_order_acquire) == number_;
    }
    /// Somebody who has not come; `last` only if all the others have.
    [[nodiscard]] int missing(int last = kNobody) const noexcept {
        for (int rank = 0; rank < steps_.size(); ++rank)
            if (rank != last && rank != steps_.rank() && !has_come(rank)) return rank;
        return last != kNobody && !has_come(last) ? last : kNobody;
    }

    Immediate& steps_;
    std::uint32_t place_;
    std::uint32_t number_;  // of the meeting
};

}  // namespace rb2::collective
