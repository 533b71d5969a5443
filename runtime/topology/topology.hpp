#pragma once
// The machine as hwloc sees it. For tools, the launcher and tests; a starting rank uses placement.hpp
// instead.

#include <hwloc.h>

#include <memory>
#include <string>

#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/placement.hpp"

namespace rb2::topology {

/// A loaded hwloc topology. Move-only; not thread-safe while being moved, otherwise read-only.
class Machine {
  public:
    /// This machine without I/O, bridge and misc objects, which nothing here needs. Throws StartupError.
    [[nodiscard]] static Machine current();

    /// From hwloc's synthetic notation, e.g. "pack:2 numa:1 l3:1 core:4 pu:1". Throws StartupError.
    [[nodiscard]] static Machine synthetic(const std::string& description);

    /// CPUs of the machine; current(): that the cgroup allows. The affinity mask is CpuSet::of_this_thread().
    [[nodiscard]] CpuSet cpus() const;

    /// Lowest NUMA node number holding all of `cpus`; -1 when they span several or are empty.
    [[nodiscard]] int numa_node_of(const CpuSet& cpus) const;

    /// The same five numbers as placement_of(), from hwloc's tree.
    [[nodiscard]] Placement placement(const CpuSet& cpus) const;

    /// Distance between two ranks allowed on `a` and `b`: shared_cache, same_numa, same_socket or same_host.
    [[nodiscard]] Locality locality_between(const CpuSet& a, const CpuSet& b) const;

    /// The n-th of `count` equal shares of the machine's cores, in tree order: where a launcher would bind
    /// rank n.
    [[nodiscard]] CpuSet share(unsigned n, unsigned count) const;

    [[nodiscard]] hwloc_topology_t hwloc() const noexcept { return topology_.get(); }

  private:
    struct Destroy {
        void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
    };
    using Handle = std::unique_ptr<hwloc_topology, Destroy>;
    explicit Machine(Handle topology) : topology_(std::move(topology)) {}
    static Handle init();

    Handle topology_;
};

}  // namespace rb2::topology
