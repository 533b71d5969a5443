#pragma once
// Reads one control file from a process's cgroup and every ancestor of it: the tightest limit counts,
// wherever it is.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rb2::topology {

/// Directories, innermost first, in which limits of `controller` ("cpu", "memory") apply to the process whose
/// /proc/self/cgroup reads `proc_self_cgroup`; `root` is where cgroups are mounted (/sys/fs/cgroup). Cgroup
/// v2 (alone or beside v1) and v1. Directories need not exist: inside a container only the last ones are
/// visible.
[[nodiscard]] std::vector<std::filesystem::path> cgroup_directories(std::string_view proc_self_cgroup,
                                                                    const std::filesystem::path& root,
                                                                    std::string_view controller);

}  // namespace rb2::topology
