#include "runtime/topology/usable_cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "runtime/topology/cgroup.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/text_file.hpp"

namespace rb2::topology {
namespace {

std::optional<double> positive_number(std::string_view text) noexcept {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !(value > 0)) return std::nullopt;
    return value;
}

std::optional<double> quota_in(const std::filesystem::path& directory) {
    if (const auto v2 = read_text(directory / "cpu.max")) return parse_cpu_max(*v2);
    const auto quota = read_text(directory / "cpu.cfs_quota_us");
    const auto period = read_text(directory / "cpu.cfs_period_us");
    return quota && period ? parse_cfs_quota(*quota, *period) : std::nullopt;
}

}  // namespace

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) noexcept {
    const auto quota_us = positive_number(quota);
    const auto period_us = positive_number(period);
    if (!quota_us || !period_us) return std::nullopt;
    return *quota_us / *period_us;
}

std::optional<double> parse_cpu_max(std::string_view text) noexcept {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    return parse_cfs_quota(text.substr(0, space), text.substr(space + 1));
}

std::optional<double> cgroup_quota(std::string_view proc_self_cgroup,
                                   const std::filesystem::path& cgroup_root) {
    std::optional<double> smallest;
    for (const auto& directory : cgroup_directories(proc_self_cgroup, cgroup_root, "cpu")) {
        const std::optional<double> quota = quota_in(directory);
        if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
    }
    return smallest;
}

std::optional<double> this_quota() {
    return cgroup_quota(read_text("/proc/self/cgroup").value_or(""), "/sys/fs/cgroup");
}

double usable_cpus() {
    const double in_mask = CpuSet::of_this_thread().count();
    return std::min(in_mask, this_quota().value_or(in_mask));
}

bool crowded(std::span<const CpuSet> masks, std::size_t own, std::optional<double> quota) noexcept {
    const auto confined = std::count_if(masks.begin(), masks.end(),
                                        [&](const CpuSet& mask) { return mask.within(masks[own]); });
    return confined > masks[own].count() || (quota && static_cast<double>(masks.size()) > *quota);
}

void settle(std::size_t place) noexcept {
    cpu_set_t may_use;
    if (::sched_getaffinity(0, sizeof may_use, &may_use) != 0) return;
    std::size_t before = place % static_cast<std::size_t>(std::max(CPU_COUNT(&may_use), 1));
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &may_use) || before-- != 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (::sched_setaffinity(0, sizeof one, &one) == 0) ::sched_setaffinity(0, sizeof may_use, &may_use);
        return;
    }
}

}  // namespace rb2::topology
