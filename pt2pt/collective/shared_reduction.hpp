#pragma once
// Allreduce and reduce through memory that all ranks of a host share.
//
// R. Graham, G. Shipman, "MPI Support for Multi-core Architectures: Optimized Shared Memory Collectives",
// EuroPVM/MPI 2008: all put their data where the others can read it. Short data are combined by everybody who
// wants the result, long data by blocks, one per rank, which are then copied. Differs from the paper in: a
// rank whose banks are all still being read does not wait for one, but says so, and all send messages.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/gathering.hpp"
#include "pt2pt/collective/tree.hpp"

namespace rb2::collective {

/// One call, by all ranks of the communicator.
class SharedReduction {
  public:
    [[nodiscard]] static bool possible(const Immediate& steps, const Reduction& reduction) noexcept {
        return Gathering::possible(steps) && reduction.element_bytes - 1 < SharedBanks::kBankBytes;
    }
    /// Whether blocks are worth a second meeting to a rank that could combine all of them itself.
    [[nodiscard]] static bool by_blocks(const Immediate& steps, std::size_t bytes) noexcept {
        return bytes * static_cast<std::size_t>(steps.size() - 1) > kCombinedByAll;
    }

    /// `result`: where this rank wants it, may be the contribution; empty: nowhere.
    SharedReduction(Immediate& steps, Bytes contribution, MutableBytes result, const Reduction& reduction)
        : steps_(steps), left_(contribution), result_(result), reduction_(reduction), gathering_(steps) {}

    /// Piece by piece, as a bank takes them. Bytes done, the same in all ranks: all, or up to where somebody
    /// had no bank.
    [[nodiscard]] std::size_t run() {
        const std::size_t bytes = left_.size();
        const std::size_t element = reduction_.element_bytes;
        const std::size_t most = SharedBanks::kBankBytes / element * element;
        do {
            piece_ = left_.first(std::min(most, left_.size()));
            if (!combine_piece()) return bytes - left_.size();
            left_ = left_.subspan(piece_.size());
            if (!result_.empty()) result_ = result_.subspan(piece_.size());
            gathering_.next();
        } while (!left_.empty() && steps_.good());
        return bytes;
    }

  private:
    static constexpr std::size_t kCombinedByAll = 32U << 10;

    /// False, in all ranks: somebody had no bank, and nothing was done.
    bool combine_piece() {
        contribute();
        gathering_.come();
        gathering_.wait_for_all();
        const bool complete = look();
        if (complete && steps_.good()) {
            if (by_blocks(steps_, piece_.size()))
                combine_own_block();
            else if (!result_.empty())
                fold(result_.first(piece_.size()), 0);
        }
        release();
        return complete;
    }

    void contribute() {
        SharedBoard::Contribution& own = gathering_.contribution(steps_.rank());
        own.bytes = left_.size();
        own.bank = SharedBoard::kNoBank;
        if (!needs_bank()) return steps_.copy(piece_, own.data.data());
        SharedBanks& memory = banks(steps_.rank());
        const auto bank = memory.claim(static_cast<std::uint32_t>(steps_.size() - 1));
        if (!bank) return;
        own.bank = *bank;
        steps_.copy(piece_, memory.bytes(*bank).data());
    }

    /// Where all the parts are. False: somebody had no bank.
    bool look() {
        bool complete = true;
        for (int rank = 0; rank < steps_.size(); ++rank) {
            SharedBoard::Contribution& theirs = gathering_.contribution(rank);
            const bool has_bank = theirs.bank != SharedBoard::kNoBank;
            parts_[static_cast<std::size_t>(rank)] = {
                theirs.bank, has_bank ? banks(rank).bytes(theirs.bank).data() : theirs.data.data()};
            if (theirs.bytes != left_.size()) steps_.fail(Status::truncated);
            if (needs_bank() && !has_bank) complete = false;
        }
        return complete || !steps_.good();
    }

    void combine_own_block() {
        const std::vector<Block> blocks =
            even_blocks(piece_.size() / reduction_.element_bytes, steps_.size());
        const auto block = [&](MutableBytes all, int rank) {
            const Block& elements = blocks[static_cast<std::size_t>(rank)];
            return all.subspan(elements.offset * reduction_.element_bytes,
                               elements.bytes * reduction_.element_bytes);
        };
        // Nobody else reads this block of the own part.
        const MutableBytes shown = block(part(steps_.rank()), steps_.rank());
        const MutableBytes own = result_.empty() ? spare(shown.size()) : block(result_, steps_.rank());
        fold(own, static_cast<std::size_t>(shown.data() - part(steps_.rank()).data()));
        steps_.copy(own, shown.data());
        gathering_.next();
        gathering_.come();
        gathering_.wait_for_all();
        for (int rank = 0; rank < steps_.size() && !result_.empty(); ++rank)
            if (rank != steps_.rank()) steps_.copy(block(part(rank), rank), block(result_, rank).data());
    }

    /// All parts from `offset` on, in rank order. The own part is in memory, too, so `result` may be where it
    /// came from.
    void fold(MutableBytes result, std::size_t offset) {
        const auto in = [&](int rank) { return part(rank).subspan(offset, result.size()); };
        int rank = steps_.size() - 1;
        steps_.copy(in(rank), result.data());
        while (rank-- > 0) steps_.combine(reduction_, in(rank), result);
    }

    void release() noexcept {
        for (int rank = 0; rank < steps_.size(); ++rank) {
            const std::uint32_t bank = parts_[static_cast<std::size_t>(rank)].bank;
            if (rank != steps_.rank() && bank != SharedBoard::kNoBank) banks(rank).release(bank);
        }
    }

    [[nodiscard]] bool needs_bank() const noexcept {
        return piece_.size() > sizeof(SharedBoard::Contribution::data);
    }
    [[nodiscard]] SharedBanks& banks(int rank) const noexcept { return shared_memory(steps_, rank)->banks; }
    [[nodiscard]] MutableBytes part(int rank) const noexcept {
        return {parts_[static_cast<std::size_t>(rank)].data, piece_.size()};
    }
    /// The first piece has the longest blocks.
    [[nodiscard]] MutableBytes spare(std::size_t bytes) {
        if (spare_.data() == nullptr) spare_ = steps_.scratch(bytes);
        return spare_.first(bytes);
    }

    struct Part {
        std::uint32_t bank;
        std::byte* data;
    };

    Immediate& steps_;
    Bytes left_;
    Bytes piece_;          // of it, being combined
    MutableBytes result_;  // from the piece on
    const Reduction& reduction_;
    Gathering gathering_;
    MutableBytes spare_;
    std::array<Part, kFlatRanks> parts_;  // by rank, of the piece
};

}  // namespace rb2::collective
