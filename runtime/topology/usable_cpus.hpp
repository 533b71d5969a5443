#pragma once
// How many CPUs this process can really keep busy: its affinity mask, cut down by cgroup CPU quotas.

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/topology/cpu_set.hpp"

namespace rb2::topology {

/// CPUs' worth of time that cgroup v2's `cpu.max` grants ("200000 100000" is 2.0); nullopt for "max" or a
/// text that is not in that form.
[[nodiscard]] std::optional<double> parse_cpu_max(std::string_view text) noexcept;

/// The same for cgroup v1's cpu.cfs_quota_us ("-1" is no limit) and cpu.cfs_period_us.
[[nodiscard]] std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) noexcept;

/// Smallest quota over the process's cgroup and all its ancestors, v1 and v2. `proc_self_cgroup` is the text
/// of /proc/self/cgroup, `cgroup_root` where cgroups are mounted. nullopt when nothing limits the process.
[[nodiscard]] std::optional<double> cgroup_quota(std::string_view proc_self_cgroup,
                                                 const std::filesystem::path& cgroup_root);

/// cgroup_quota() of this process.
[[nodiscard]] std::optional<double> this_quota();

/// min(CPUs in the calling thread's affinity mask, quota). At least a small positive number.
[[nodiscard]] double usable_cpus();

/// Whether rank `own` must share its CPUs: the ranks confined to them, itself included, outnumber them, or
/// all ranks together outnumber the quota. `masks` holds one affinity mask for each rank of the host.
[[nodiscard]] bool crowded(std::span<const CpuSet> masks, std::size_t own,
                           std::optional<double> quota) noexcept;

/// Has the calling thread go on on the CPU number `place` of those it may use, counted round and round, and
/// leaves it free to move from there. Ranks that share CPUs and give them away while they wait are not moved
/// by the kernel, however unevenly they started. Failure costs speed only.
void settle(std::size_t place) noexcept;

}  // namespace rb2::topology
