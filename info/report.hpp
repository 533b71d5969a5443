#pragma once
// What rb2info says, as data: collected once, then printed as text or as JSON.

#include <string>
#include <vector>

#include "runtime/memory/critical_size/critical_size.hpp"

namespace rb2::info {

/// This machine, as ranks see it.
struct Machine {
    std::string host;
    std::string kernel;
    std::string processor;
    int cpus = 0;            ///< of the machine, as far as the cgroup allows
    double usable_cpus = 0;  ///< for a process started here: affinity and quota
    int cores = 0;
    int packages = 0;
    int numa_nodes = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t shared_memory_free_bytes = 0;  ///< of /dev/shm
    std::string huge_pages;                      ///< transparent ones: always, madvise, never
    std::string memlock;                         ///< limit on locked memory
};

/// A way for messages, or a device for one.
struct Fabric {
    std::string name;
    bool available = false;
    std::string note;  ///< what it is, or why not
};

/// From which size on messages to other hosts are written straight into the receiver's buffer.
struct DirectWrites {
    std::string fabric;            ///< "tcp", "verbs on mlx5_0"
    std::uint64_t from_bytes = 0;  ///< 0: not known before something is measured
    std::string why;
};

struct SettingNow {
    std::string variable;
    std::string unit;
    std::string value;
    std::string source;  ///< "default" or "environment"
    std::string error;   ///< of a value that ranks would refuse
    std::string meaning;
};

struct CriticalSizes {
    std::string device;
    memory::critical_size::Result result;
};

struct Report {
    Machine machine;
    std::vector<Fabric> fabrics;
    std::string registration_cache;  ///< how changes to memory would be noticed
    std::vector<SettingNow> settings;
    std::vector<DirectWrites> direct_writes;
    std::vector<CriticalSizes> critical_sizes;  ///< empty unless asked for
};

[[nodiscard]] Machine this_machine();
[[nodiscard]] std::vector<Fabric> fabrics();
[[nodiscard]] std::vector<SettingNow> settings_now();
/// On rank 0 of the job that this process is part of, what serves which of its ranks; else nothing.
/// Collective. Throws StartupError.
[[nodiscard]] std::string job_fabrics();
/// What ranks started here would choose. Measures nothing.
[[nodiscard]] std::vector<DirectWrites> direct_writes();

[[nodiscard]] std::string as_text(const Report& report);
[[nodiscard]] std::string as_json(const Report& report);

/// The curves as a table, and the crossings.
[[nodiscard]] std::string as_text(const CriticalSizes& sizes);

/// Draws figures 5, 8 and 9 of "Minimizing the Hidden Cost of RDMA" for this machine. Throws
/// std::runtime_error.
void draw(const CriticalSizes& sizes, const std::string& png);

}  // namespace rb2::info
