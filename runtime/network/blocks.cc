#include "runtime/network/blocks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/status.hpp"

namespace rb2::network {

Blocks::Blocks(const ring::Parameters& parameters, std::size_t peers)
    : layout_{.inbound_slots = parameters.slots, .mirror_slots = parameters.slots},
      stride_((layout_.bytes() + ring::kLinePairBytes - 1) / ring::kLinePairBytes * ring::kLinePairBytes) {
    const std::size_t bytes = stride_ * std::max<std::size_t>(peers, 1);
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        throw StartupError(
            fmt::format("{} bytes of ring memory for {} network peers: {}; are there limits (ulimit -v)?",
                        bytes, peers, std::strerror(errno)));
    }
    memory_ = {static_cast<std::byte*>(start), bytes};
}

Blocks::~Blocks() { ::munmap(memory_.data(), memory_.size()); }

}  // namespace rb2::network
