#pragma once
// Memory that a collective needs besides the user's buffers.

#include <cstddef>
#include <memory>
#include <vector>

#include "pt2pt/collective/steps.hpp"

namespace rb2::collective {

/// Hands out memory that stays until this object goes. The first bytes come without an allocation, so that a
/// short collective has none. Not initialised; as aligned as any type needs.
class Scratch {
  public:
    /// Throws std::bad_alloc.
    [[nodiscard]] MutableBytes take(std::size_t bytes) {
        const std::size_t end = used_ + (bytes + kAlignment - 1) / kAlignment * kAlignment;
        if (bytes > kInline || end > kInline) {
            chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
            return {chunks_.back().get(), bytes};
        }
        const MutableBytes taken(first_ + used_, bytes);
        used_ = end;
        return taken;
    }

  private:
    static constexpr std::size_t kInline = 256;
    static constexpr std::size_t kAlignment = alignof(std::max_align_t);

    alignas(kAlignment) std::byte first_[kInline];
    std::size_t used_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace rb2::collective
