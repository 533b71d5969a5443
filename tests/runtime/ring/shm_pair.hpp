#pragma once
// Two ends of a shared-memory channel in one process.

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/ring/channel.hpp"

namespace rb2::ring::test {

/// Zeroed memory on a line pair boundary.
class Block {
  public:
    explicit Block(std::size_t bytes)
        : lines_(std::make_unique<Line[]>((bytes + sizeof(Line) - 1) / sizeof(Line))), bytes_(bytes) {}
    [[nodiscard]] std::span<std::byte> bytes() const {
        return {reinterpret_cast<std::byte*>(lines_.get()), bytes_};
    }

  private:
    struct alignas(kLinePairBytes) Line {
        std::byte data[kLinePairBytes];
    };
    std::unique_ptr<Line[]> lines_;
    std::size_t bytes_;
};

/// `a` sends to `b` with `parameters` and back with the same.
struct ShmPair {
    explicit ShmPair(const Parameters& parameters)
        : block_a(ShmChannel::block_bytes(parameters.slots)),
          block_b(ShmChannel::block_bytes(parameters.slots)),
          a((prepare(block_a, parameters), block_a.bytes()), (prepare(block_b, parameters), block_b.bytes()),
            parameters, parameters),
          b(block_b.bytes(), block_a.bytes(), parameters, parameters) {}

    static void prepare(Block& block, const Parameters& parameters) {
        if (parameters.start == 0) return;  // zeroed memory must do
        auto* const words = reinterpret_cast<Words*>(block.bytes().data());
        format<mix::Rb2InPlace>(block.bytes().data() + BlockLayout::kSlots, &words->local_head,
                                &words->local_tail, parameters);
    }

    Block block_a;
    Block block_b;
    ShmChannel a;
    ShmChannel b;
};

}  // namespace rb2::ring::test
