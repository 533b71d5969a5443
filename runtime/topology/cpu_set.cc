#include "runtime/topology/cpu_set.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "runtime/status.hpp"

namespace rb2::topology {
namespace {

hwloc_bitmap_t checked(hwloc_bitmap_t bitmap) {
    if (bitmap == nullptr) throw std::bad_alloc();
    return bitmap;
}

}  // namespace

CpuSet::CpuSet() : bitmap_(checked(hwloc_bitmap_alloc())) {}
CpuSet::CpuSet(hwloc_bitmap_t owned) : bitmap_(checked(owned)) {}
CpuSet::CpuSet(const CpuSet& other) : CpuSet(hwloc_bitmap_dup(other.bitmap_.get())) {}

CpuSet& CpuSet::operator=(const CpuSet& other) {
    if (this != &other) *this = CpuSet(other);
    return *this;
}

CpuSet CpuSet::from_hwloc(hwloc_const_bitmap_t bitmap) { return CpuSet(hwloc_bitmap_dup(bitmap)); }

CpuSet CpuSet::from_list(const std::string& list) {
    CpuSet set;
    const std::size_t end = list.find_last_not_of(" \t\n");
    if (end == std::string::npos) return set;
    const std::string text = list.substr(0, end + 1);
    // hwloc's parser stops at the first strange character without saying so.
    if (text.find_first_not_of("0123456789,-") != std::string::npos ||
        hwloc_bitmap_list_sscanf(set.bitmap_.get(), text.c_str()) != 0)
        throw StartupError(fmt::format("'{}' is not a list of CPU numbers such as 0-3,8", text));
    return set;
}

std::optional<CpuSet> CpuSet::of_process(pid_t pid) {
    // The kernel refuses masks shorter than its own; that length is not published, so grow until it fits.
    for (std::size_t cpus = CPU_SETSIZE; cpus <= (std::size_t{1} << 20); cpus *= 2) {
        std::vector<unsigned long> mask(cpus / (8 * sizeof(unsigned long)));
        auto* kernel_mask = reinterpret_cast<cpu_set_t*>(mask.data());
        if (::sched_getaffinity(pid, mask.size() * sizeof(unsigned long), kernel_mask) == 0) {
            CpuSet set;
            hwloc_bitmap_from_ulongs(set.bitmap_.get(), static_cast<unsigned>(mask.size()), mask.data());
            return set;
        }
        if (errno == ESRCH) return std::nullopt;
        if (errno != EINVAL) break;
    }
    throw StartupError(
        fmt::format("the CPU affinity mask of process {} cannot be read (sched_getaffinity): {}",
                    pid == 0 ? ::getpid() : pid, std::strerror(errno)));
}

std::string CpuSet::to_list() const {
    const int length = hwloc_bitmap_list_snprintf(nullptr, 0, bitmap_.get());
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    hwloc_bitmap_list_snprintf(text.data(), text.size(), bitmap_.get());
    text.pop_back();
    return text;
}

void CpuSet::add(unsigned cpu) {
    if (hwloc_bitmap_set(bitmap_.get(), cpu) != 0) throw std::bad_alloc();
}

}  // namespace rb2::topology
