#include "runtime/topology/placement.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "runtime/status.hpp"
#include "runtime/topology/text_file.hpp"

namespace rb2::topology {
namespace {

namespace fs = std::filesystem;

bool same(std::uint32_t a, std::uint32_t b) noexcept { return a == b && a != Placement::kSpans; }

/// CPU list in `file`; empty when the file is missing or odd.
CpuSet read_cpus(const fs::path& file) {
    try {
        return CpuSet::from_list(read_text(file).value_or(""));
    } catch (const StartupError&) {
        return {};
    }
}

/// The group's lowest CPU number when `cpus` all lie in the group.
std::uint32_t group_id(const CpuSet& cpus, const CpuSet& group) {
    const bool inside = !group.empty() && cpus.within(group);
    return inside ? static_cast<std::uint32_t>(group.first()) : Placement::kSpans;
}

/// Looks through cache/index0..9 of one CPU for its unified or data cache of `level`.
std::uint32_t cache_id(const CpuSet& cpus, const fs::path& cpu_directory, std::string_view level) {
    for (char index = '0'; index <= '9'; ++index) {
        const fs::path cache = cpu_directory / "cache" / (std::string("index") + index);
        const std::optional<std::string> found_level = read_text(cache / "level");
        if (!found_level) break;
        if (*found_level == level) return group_id(cpus, read_cpus(cache / "shared_cpu_list"));
    }
    return Placement::kSpans;
}

std::uint32_t package_id(const CpuSet& cpus, const fs::path& cpu_directory) {
    CpuSet package = read_cpus(cpu_directory / "topology/package_cpus_list");
    if (package.empty())
        package = read_cpus(cpu_directory / "topology/core_siblings_list");  // before Linux 5.3
    return group_id(cpus, package);
}

/// A CPU's directory holds a link "node<K>" to its NUMA node. A kernel without NUMA has one node, 0.
std::uint32_t numa_id(const CpuSet& cpus, const fs::path& sys, const fs::path& cpu_directory) {
    std::error_code error;
    if (!fs::exists(sys / "node", error)) return 0;
    for (const auto& entry : fs::directory_iterator(cpu_directory, error)) {
        const std::string name = entry.path().filename().string();
        std::uint32_t node = 0;
        if (!name.starts_with("node")) continue;
        const char* end = name.data() + name.size();
        if (std::from_chars(name.data() + 4, end, node).ptr != end) continue;
        return cpus.within(read_cpus(entry.path() / "cpulist")) ? node : Placement::kSpans;
    }
    return Placement::kSpans;
}

}  // namespace

std::string_view to_string(Locality locality) noexcept {
    static constexpr std::array<std::string_view, kLocalityCount> names = {
        "self", "shared cache", "same NUMA node", "same socket", "same host", "remote"};
    return names.at(static_cast<std::size_t>(locality));
}

Locality locality(const Placement& a, const Placement& b) noexcept {
    if (same(a.l2, b.l2) || same(a.l3, b.l3)) return Locality::shared_cache;
    if (same(a.numa_node, b.numa_node)) return Locality::same_numa;
    if (same(a.package, b.package)) return Locality::same_socket;
    return Locality::same_host;
}

Placement placement_of(const CpuSet& cpus, const fs::path& sys) {
    Placement placement;
    placement.cpu_count = static_cast<std::uint32_t>(cpus.count());
    if (cpus.empty()) return placement;
    // A group that holds all of `cpus` holds its first CPU: only that one's files need reading.
    const fs::path cpu_directory = sys / "cpu" / ("cpu" + std::to_string(cpus.first()));
    placement.l2 = cache_id(cpus, cpu_directory, "2");
    placement.l3 = cache_id(cpus, cpu_directory, "3");
    placement.numa_node = numa_id(cpus, sys, cpu_directory);
    placement.package = package_id(cpus, cpu_directory);
    return placement;
}

Placement this_placement() { return placement_of(CpuSet::of_this_thread()); }

}  // namespace rb2::topology
