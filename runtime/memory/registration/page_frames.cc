#include "runtime/memory/registration/page_frames.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "runtime/memory/descriptor.hpp"

namespace rb2::memory::registration {
namespace {

constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55) - 1;  // Documentation/admin-guide/mm/pagemap.rst

}  // namespace

bool read_page_frames(Range pages, std::span<std::uint64_t> frames) noexcept {
    const Descriptor map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    const std::size_t bytes = frames.size() * sizeof(std::uint64_t);
    const auto offset = static_cast<off_t>(pages.begin / kPageBytes * sizeof(std::uint64_t));
    if (map.get() < 0 || ::pread(map.get(), frames.data(), bytes, offset) != static_cast<ssize_t>(bytes))
        return false;
    for (std::uint64_t& frame : frames) frame = (frame & kPresent) != 0 ? frame & kFrame : 0;
    return true;
}

bool page_frames_readable() noexcept {
    std::array<std::uint64_t, 1> frame{};
    volatile char here = 0;  // on a page of the stack that is certainly there
    const auto address = reinterpret_cast<std::uintptr_t>(&here);
    return read_page_frames(pages_of({address, address + 1}), frame) && frame[0] != 0;
}

}  // namespace rb2::memory::registration
