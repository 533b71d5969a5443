#pragma once
// What each rank shows the others in one meeting: a part of the data, on its board if short, else in a bank.
//
// R. Graham, G. Shipman, "MPI Support for Multi-core Architectures: Optimized Shared Memory Collectives",
// EuroPVM/MPI 2008: all put their data where the others can read it. Differs from the paper in: a rank whose
// banks are all still being read does not wait for one, but says so, and all send messages.

#include <array>
#include <cstddef>
#include <cstdint>

#include "pt2pt/collective/gathering.hpp"
#include "pt2pt/collective/tree.hpp"

namespace rb2::collective {

class SharedParts {
  public:
    static constexpr std::size_t kLongest = SharedBanks::kBankBytes;

    explicit SharedParts(Immediate& steps) noexcept : steps_(steps), gathering_(steps) {}
    SharedParts(const SharedParts&) = delete;
    SharedParts& operator=(const SharedParts&) = delete;
    ~SharedParts() { release(); }

    /// Shows `own`, the first of `left` bytes, and waits until all have shown theirs; those of the meeting
    /// before are given back. `expected(r)`: what is left to rank r; anything else is an error. False, in all
    /// ranks: somebody had no bank.
    template <class Expected>
    [[nodiscard]] bool meet(Bytes own, std::uint64_t left, Expected expected) {
        release();
        show(own, left);
        gathering_.come();
        gathering_.wait_for_all();
        bool complete = true;
        for (int rank = 0; rank < steps_.size(); ++rank) {
            if (!look(rank)) complete = false;
            if (gathering_.contribution(rank).bytes != expected(rank)) steps_.fail(Status::truncated);
        }
        gathering_.next();
        return complete;
    }
    /// Waits until all have written what they want to write into their parts.
    void meet_again() {
        gathering_.come();
        gathering_.wait_for_all();
        gathering_.next();
    }

    /// The part that the rank shows, of whatever size that is. The own one may be written, where no other
    /// rank reads.
    [[nodiscard]] std::byte* of(int rank) const noexcept {
        return parts_[static_cast<std::size_t>(rank)].data;
    }

  private:
    struct Part {
        std::uint32_t bank = SharedBoard::kNoBank;
        std::byte* data = nullptr;
    };

    void show(Bytes own, std::uint64_t left) {
        SharedBoard::Contribution& contribution = gathering_.contribution(steps_.rank());
        contribution.bytes = left;
        contribution.bank = SharedBoard::kOnBoard;
        std::byte* place = contribution.data.data();
        if (own.size() > contribution.data.size()) {
            const auto bank = banks(steps_.rank()).claim(static_cast<std::uint32_t>(steps_.size() - 1));
            contribution.bank = bank.value_or(SharedBoard::kNoBank);
            if (!bank) return;
            place = banks(steps_.rank()).bytes(*bank).data();
        }
        steps_.copy(own, place);
    }
    [[nodiscard]] bool look(int rank) noexcept {
        SharedBoard::Contribution& theirs = gathering_.contribution(rank);
        const bool in_bank = theirs.bank < SharedBanks::kBanks;
        parts_[static_cast<std::size_t>(rank)] = {
            theirs.bank, in_bank ? banks(rank).bytes(theirs.bank).data() : theirs.data.data()};
        return theirs.bank != SharedBoard::kNoBank;
    }
    void release() noexcept {
        for (int rank = 0; rank < steps_.size(); ++rank) {
            Part& part = parts_[static_cast<std::size_t>(rank)];
            if (rank != steps_.rank() && part.bank < SharedBanks::kBanks) banks(rank).release(part.bank);
            part = {};
        }
    }
    [[nodiscard]] SharedBanks& banks(int rank) const noexcept { return shared_memory(steps_, rank)->banks; }

    Immediate& steps_;
    Gathering gathering_;
    std::array<Part, kFlatRanks> parts_;  // by rank
};

}  // namespace rb2::collective
