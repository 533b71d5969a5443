#pragma once
// Whether this is still the process that made an object: one load, also after a fork that no handler saw.

#include <sys/mman.h>

#include <cstdint>

#include "runtime/memory/registration/range.hpp"

namespace rb2::memory::registration {

/// A page that the kernel zeroes in a forked child (MADV_WIPEONFORK).
class ForkMark {
  public:
    ForkMark() noexcept {
        void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return;
        ::madvise(page, kPageBytes, MADV_WIPEONFORK);
        mark_ = static_cast<std::uint8_t*>(page);
        *mark_ = 1;
    }
    ForkMark(const ForkMark&) = delete;
    ForkMark& operator=(const ForkMark&) = delete;
    ~ForkMark() {
        if (mark_ != nullptr) ::munmap(mark_, kPageBytes);
    }

    /// False in a child. Without the page (no memory) always true.
    [[nodiscard]] bool same_process() const noexcept { return mark_ == nullptr || *mark_ == 1; }

  private:
    std::uint8_t* mark_ = nullptr;
};

}  // namespace rb2::memory::registration
