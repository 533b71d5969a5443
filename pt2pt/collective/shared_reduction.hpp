#pragma once
// Allreduce and reduce through memory that all ranks of a host share.
//
// Graham, Shipman 2008 (see shared_parts.hpp), on allreduce and reduce: short data are combined by everybody
// who wants the result, long data by blocks, one per rank, which are then copied.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/shared_parts.hpp"

namespace rb2::collective {

/// One call, by all ranks of the communicator.
class SharedReduction {
  public:
    [[nodiscard]] static bool possible(const Immediate& steps, const Reduction& reduction) noexcept {
        return Gathering::possible(steps) && reduction.element_bytes - 1 < SharedParts::kLongest;
    }
    /// Whether blocks are worth a second meeting to a rank that could combine all of them itself.
    [[nodiscard]] static bool by_blocks(const Immediate& steps, std::size_t bytes) noexcept {
        return bytes * static_cast<std::size_t>(steps.size() - 1) > kCombinedByAll;
    }

    /// `result`: where this rank wants it, may be the contribution; empty: nowhere.
    SharedReduction(Immediate& steps, Bytes contribution, MutableBytes result, const Reduction& reduction)
        : steps_(steps), left_(contribution), result_(result), reduction_(reduction), parts_(steps) {}

    /// Piece by piece. Bytes done, the same in all ranks: all, or up to where somebody had no bank.
    [[nodiscard]] std::size_t run() {
        const std::size_t bytes = left_.size();
        const std::size_t element = reduction_.element_bytes;
        const std::size_t most = SharedParts::kLongest / element * element;
        do {
            const std::size_t piece = std::min(most, left_.size());
            const bool complete =
                parts_.meet(left_.first(piece), left_.size(), [&](int) { return left_.size(); });
            if (!steps_.good()) break;
            if (!complete) return bytes - left_.size();
            combine(piece);
            left_ = left_.subspan(piece);
            if (!result_.empty()) result_ = result_.subspan(piece);
        } while (!left_.empty());
        return bytes;
    }

  private:
    static constexpr std::size_t kCombinedByAll = 32U << 10;

    void combine(std::size_t piece) {
        if (by_blocks(steps_, piece))
            combine_own_block(piece);
        else if (!result_.empty())
            fold(result_.first(piece), 0);
    }

    void combine_own_block(std::size_t piece) {
        const std::vector<Block> blocks = even_blocks(piece / reduction_.element_bytes, steps_.size());
        const auto block = [&](std::byte* all, int rank) {
            const Block& elements = blocks[static_cast<std::size_t>(rank)];
            return MutableBytes(all + elements.offset * reduction_.element_bytes,
                                elements.bytes * reduction_.element_bytes);
        };
        // Nobody else reads this block of the own part.
        const MutableBytes shown = block(parts_.of(steps_.rank()), steps_.rank());
        const MutableBytes own = result_.empty() ? spare(shown.size()) : block(result_.data(), steps_.rank());
        fold(own, static_cast<std::size_t>(shown.data() - parts_.of(steps_.rank())));
        steps_.copy(own, shown.data());
        parts_.meet_again();
        for (int rank = 0; rank < steps_.size() && !result_.empty(); ++rank)
            if (rank != steps_.rank())
                steps_.copy(block(parts_.of(rank), rank), block(result_.data(), rank).data());
    }

    /// All parts from `offset` on, in rank order. The own part is in memory, too, so `result` may be where it
    /// came from.
    void fold(MutableBytes result, std::size_t offset) {
        const auto in = [&](int rank) { return Bytes(parts_.of(rank) + offset, result.size()); };
        int rank = steps_.size() - 1;
        steps_.copy(in(rank), result.data());
        while (rank-- > 0) steps_.combine(reduction_, in(rank), result);
    }
    /// The first piece has the longest blocks.
    [[nodiscard]] MutableBytes spare(std::size_t bytes) {
        if (spare_.data() == nullptr) spare_ = steps_.scratch(bytes);
        return spare_.first(bytes);
    }

    Immediate& steps_;
    Bytes left_;
    MutableBytes result_;  // the rest of it
    const Reduction& reduction_;
    SharedParts parts_;
    MutableBytes spare_;
};

}  // namespace rb2::collective
