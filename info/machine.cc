#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fstream>

#include "info/report.hpp"
#include "runtime/topology/topology.hpp"
#include "runtime/topology/usable_cpus.hpp"

namespace rb2::info {
namespace {

std::uint64_t free_shared_memory() {
    struct statvfs file_system {};
    if (::statvfs("/dev/shm", &file_system) != 0) return 0;
    return std::uint64_t{file_system.f_bavail} * file_system.f_frsize;
}

/// The chosen word of "always [madvise] never".
std::string huge_pages() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    for (std::string word; file >> word;)
        if (word.starts_with('[') && word.ends_with(']')) return word.substr(1, word.size() - 2);
    return "unknown";
}

std::string memlock() {
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", limit.rlim_cur);
}

}  // namespace

Machine this_machine() {
    const auto subject = memory::critical_size::this_host("");
    const auto topology = topology::Machine::current();
    const auto count = [&](hwloc_obj_type_t type) {
        return hwloc_get_nbobjs_by_type(topology.hwloc(), type);
    };
    return {
        .host = subject.host,
        .kernel = subject.kernel,
        .processor = subject.processor,
        .cpus = topology.cpus().count(),
        .usable_cpus = topology::usable_cpus(),
        .cores = count(HWLOC_OBJ_CORE),
        .packages = count(HWLOC_OBJ_PACKAGE),
        .numa_nodes = count(HWLOC_OBJ_NUMANODE),
        .memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
        .shared_memory_free_bytes = free_shared_memory(),
        .huge_pages = huge_pages(),
        .memlock = memlock(),
    };
}

}  // namespace rb2::info
