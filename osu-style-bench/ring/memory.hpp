#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// Zeroed, resident memory for the rings of two threads, on a page boundary. Huge pages are asked for, not
/// insisted on.
class Memory {
  public:
    /// Throws std::system_error when the kernel refuses, std::invalid_argument for a node there is not.
    Memory(std::size_t bytes, Pages pages, std::optional<int> node);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  private:
    std::span<std::byte> map_;
    std::span<std::byte> bytes_;
};

/// NUMA nodes of this machine, at least 1.
int memory_nodes();

}  // namespace rb2::bench::study
