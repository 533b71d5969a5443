#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rb2::test {

/// Zeroed memory on a line pair boundary.
class Block {
  public:
    explicit Block(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)), bytes_(bytes) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept {
        return {reinterpret_cast<std::byte*>(lines_.data()), bytes_};
    }

  private:
    static constexpr std::size_t kLinePairBytes = 128;
    struct alignas(kLinePairBytes) Line {
        std::byte data[kLinePairBytes];
    };
    std::vector<Line> lines_;
    std::size_t bytes_;
};

}  // namespace rb2::test
