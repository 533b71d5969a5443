#pragma once
// Two ends of a shared-memory channel in one process.

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/ring/channel.hpp"

namespace rb2::ring::test {

/// Zeroed memory on a line pair boundary.
class Block {
  public:
    explicit Block(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)), bytes_(bytes) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept {
        return {reinterpret_cast<std::byte*>(lines_.data()), bytes_};
    }

  private:
    struct alignas(kLinePairBytes) Line {
        std::byte data[kLinePairBytes];
    };
    std::vector<Line> lines_;
    std::size_t bytes_;
};

/// Both directions with the same parameters.
class ShmPair {
  public:
    explicit ShmPair(const Parameters& parameters)
        : memory_a_(ShmChannel::block_bytes(parameters.slots)),
          memory_b_(ShmChannel::block_bytes(parameters.slots)),
          a_(formatted(memory_a_, parameters), formatted(memory_b_, parameters), parameters, parameters),
          b_(block_b(), block_a(), parameters, parameters) {}

    [[nodiscard]] ShmChannel& a() noexcept { return a_; }
    [[nodiscard]] ShmChannel& b() noexcept { return b_; }
    [[nodiscard]] std::span<std::byte> block_a() noexcept { return memory_a_.bytes(); }
    [[nodiscard]] std::span<std::byte> block_b() noexcept { return memory_b_.bytes(); }

  private:
    static std::span<std::byte> formatted(Block& block, const Parameters& parameters) {
        if (parameters.start == 0) return block.bytes();  // zeroed memory must do
        auto* const words = reinterpret_cast<Words*>(block.bytes().data());
        format<mix::Rb2InPlace>(block.bytes().data() + BlockLayout::kSlots, &words->local_head,
                                &words->local_tail, parameters);
        return block.bytes();
    }

    Block memory_a_;
    Block memory_b_;
    ShmChannel a_;
    ShmChannel b_;
};

}  // namespace rb2::ring::test
