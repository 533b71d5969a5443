#include "osu-style-bench/ring/memory.hpp"

#include <fmt/format.h>
#include <numa.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace rb2::bench::study {
namespace {

constexpr std::size_t kHugeBytes = std::size_t{2} << 20;

std::span<std::byte> map_anonymous(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("mapping {} bytes for rings; lower --ring-bytes", bytes));
    }
    return {static_cast<std::byte*>(memory), bytes};
}

void require_node(const std::optional<int>& node) {
    if (node && (*node < 0 || *node >= memory_nodes())) {
        throw std::invalid_argument(
            fmt::format("--memory-node {}: this machine has NUMA nodes 0 to {}", *node, memory_nodes() - 1));
    }
}

}  // namespace

int memory_nodes() { return ::numa_available() < 0 ? 1 : ::numa_num_configured_nodes(); }

Memory::Memory(std::size_t bytes, Pages pages, std::optional<int> node)
    : map_((require_node(node), map_anonymous(bytes + kHugeBytes))) {
    // On a huge page boundary either way, so that the two kinds of pages are compared at equal addresses.
    const auto address = reinterpret_cast<std::uintptr_t>(map_.data());
    bytes_ = map_.subspan((kHugeBytes - address % kHugeBytes) % kHugeBytes, bytes);
    ::madvise(map_.data(), map_.size(), pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (node && ::numa_available() >= 0) {
        ::numa_tonode_memory(bytes_.data(), bytes_.size(), *node);
    }
    std::memset(bytes_.data(), 0, bytes_.size());
}

Memory::~Memory() { ::munmap(map_.data(), map_.size()); }

}  // namespace rb2::bench::study
