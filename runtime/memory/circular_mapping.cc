#include "runtime/memory/circular_mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace rb2::memory {
namespace {

using Part = CircularMapping::Part;

[[noreturn]] void fail(std::string_view action, std::size_t bytes, int error) {
    throw StartupError(fmt::format(
        "circular mapping: {} {} bytes: {}; make the rings smaller, or raise the limit on memory or mappings",
        action, bytes, std::strerror(error)));
}

/// Bytes of memory behind all parts, and of addresses.
struct Extent {
    std::size_t memory = 0;
    std::size_t addresses = 0;
};

Extent extent(std::span<const Part> parts) {
    Extent all;
    for (const Part& part : parts) {
        if (part.bytes == 0 || part.bytes % CircularMapping::page_bytes() != 0) {
            throw StartupError(fmt::format(
                "circular mapping: a part of {} bytes is not one of whole pages of {} bytes; use {}, which "
                "for a ring means more or larger slots",
                part.bytes, CircularMapping::page_bytes(), CircularMapping::whole_pages(part.bytes)));
        }
        all.memory += part.bytes;
        all.addresses += part.twice ? 2 * part.bytes : part.bytes;
    }
    return all;
}

/// Without pages yet: they come as they are touched. Reserving them, as Segment does, would be wrong here: a
/// memory file has no limit to find out about, and asking for too much would take the machine's last page.
Descriptor memory_file(std::size_t bytes) {
    Descriptor memory(::memfd_create("rb2-circular", MFD_CLOEXEC));
    if (memory.get() < 0 || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
        fail("making a memory file of", bytes, errno);
    return memory;
}

/// Addresses that nothing else will be given, without memory behind them.
std::span<std::byte> reserved_addresses(std::size_t bytes) {
    void* const start = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) fail("reserving addresses for", bytes, errno);
    return {static_cast<std::byte*>(start), bytes};
}

void map_at(std::byte* place, int descriptor, std::size_t offset, std::size_t bytes) {
    // Over the reserved addresses, so that the two views stay neighbours.
    if (::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
               static_cast<off_t>(offset)) == MAP_FAILED) {
        fail("mapping", bytes, errno);
    }
}

}  // namespace

std::size_t CircularMapping::page_bytes() noexcept {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t CircularMapping::whole_pages(std::size_t bytes) noexcept {
    const std::size_t pages = (bytes + page_bytes() - 1) / page_bytes();
    return (pages == 0 ? 1 : pages) * page_bytes();
}

CircularMapping CircularMapping::create(std::span<const Part> parts) {
    Descriptor memory = memory_file(extent(parts).memory);
    CircularMapping mapping(memory.get(), parts);
    mapping.descriptor_ = std::move(memory);
    return mapping;
}

CircularMapping CircularMapping::attach(int descriptor, std::span<const Part> parts) {
    const std::size_t needed = extent(parts).memory;
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) fail("attaching", needed, errno);
    if (static_cast<std::size_t>(status.st_size) < needed) {
        throw StartupError(
            fmt::format("circular mapping: the peer's memory has {} bytes where {} are needed; both sides "
                        "must be given the same ring sizes",
                        status.st_size, needed));
    }
    return {descriptor, parts};
}

/// If a mapping fails half way, the destructor of a complete object will not run: `views_` is handed over
/// only at the end.
CircularMapping::CircularMapping(int descriptor, std::span<const Part> parts) {
    struct Guard {
        std::span<std::byte> views;
        ~Guard() {
            if (!views.empty()) ::munmap(views.data(), views.size());
        }
    } guard{reserved_addresses(extent(parts).addresses)};
    std::byte* place = guard.views.data();
    std::size_t offset = 0;
    for (const Part& part : parts) {
        const std::size_t views = part.twice ? 2 : 1;
        for (std::size_t view = 0; view < views; ++view)
            map_at(place + view * part.bytes, descriptor, offset, part.bytes);
        parts_.emplace_back(place, views * part.bytes);
        place += views * part.bytes;
        offset += part.bytes;
    }
    views_ = std::exchange(guard.views, {});
}

CircularMapping::CircularMapping(CircularMapping&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      views_(std::exchange(other.views_, {})),
      parts_(std::move(other.parts_)) {}

CircularMapping& CircularMapping::operator=(CircularMapping&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(views_, other.views_);
    std::swap(parts_, other.parts_);
    return *this;
}

CircularMapping::~CircularMapping() {
    if (!views_.empty()) ::munmap(views_.data(), views_.size());
}

std::span<std::byte> CircularMapping::part(std::size_t index) const noexcept { return parts_[index]; }

}  // namespace rb2::memory
