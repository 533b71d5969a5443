#include "runtime/topology/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <thread>

#include "runtime/status.hpp"

namespace rb2::topology {
namespace {

TEST(Machine, OneCore) {
    const Machine machine = Machine::synthetic("pack:1 core:1 pu:1");
    EXPECT_EQ(machine.cpus().to_list(), "0");
    EXPECT_EQ(machine.numa_node_of(machine.cpus()), 0);
    EXPECT_EQ(machine.share(3, 4), machine.cpus());  // four ranks, one core
    EXPECT_EQ(machine.locality_between(machine.share(0, 4), machine.share(3, 4)), Locality::same_numa);
}

TEST(Machine, TwoSocketsWithSharedL3) {
    const Machine machine = Machine::synthetic("pack:2 l3:1 l2:4 core:1 pu:2");
    const auto cpu = [](const char* list) { return CpuSet::from_list(list); };
    EXPECT_EQ(machine.cpus().count(), 16);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("1")), Locality::shared_cache);  // two threads of a core
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("7")), Locality::shared_cache);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("8")),
              Locality::same_numa);  // one node above both sockets
    EXPECT_EQ(machine.placement(cpu("10")),
              (Placement{.l2 = 10, .l3 = 8, .numa_node = 0, .package = 8, .cpu_count = 1}));
}

TEST(Machine, EightNumaNodesInTwoSockets) {
    const Machine machine = Machine::synthetic("pack:2 numa:4 l3:2 core:2 pu:1");
    const auto cpu = [](const char* list) { return CpuSet::from_list(list); };
    EXPECT_EQ(machine.numa_node_of(cpu("0-3")), 0);
    EXPECT_EQ(machine.numa_node_of(cpu("28")), 7);
    EXPECT_EQ(machine.numa_node_of(cpu("3-4")), -1);
    EXPECT_EQ(machine.numa_node_of(CpuSet{}), -1);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("1")), Locality::shared_cache);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("2")), Locality::same_numa);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("4")), Locality::same_socket);
    EXPECT_EQ(machine.locality_between(cpu("0"), cpu("16")), Locality::same_host);
}

TEST(Machine, SharesCoverAllCoresOnce) {
    const Machine machine = Machine::synthetic("pack:2 core:5 pu:2");
    CpuSet seen;
    int total = 0;
    for (unsigned n = 0; n < 3; ++n) {
        const CpuSet share = machine.share(n, 3);
        total += share.count();
        for (unsigned cpu = 0; cpu < 20; ++cpu)
            if (share.contains(cpu)) seen.add(cpu);
    }
    EXPECT_EQ(total, 20);
    EXPECT_EQ(seen, machine.cpus());
    EXPECT_THROW((void)machine.share(3, 3), StartupError);
    EXPECT_THROW((void)machine.share(0, 0), StartupError);
}

TEST(Machine, RefusesANonsenseDescription) {
    EXPECT_THROW((void)Machine::synthetic("a potato"), StartupError);
}

/// The quick way through /sys and hwloc's tree must say the same of this very machine, unbound and on each
/// CPU. Kernels of some virtual machines list no caches in /sys; hwloc then still asks the processor.
TEST(Machine, AgreesWithTheQuickPlacementHere) {
    const Machine machine = Machine::current();
    const CpuSet all = CpuSet::of_this_thread();
    const bool lists_caches = std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache");
    const auto by_hwloc = [&](const CpuSet& cpus) {
        Placement placement = machine.placement(cpus);
        if (!lists_caches) placement.l2 = placement.l3 = Placement::kSpans;
        return placement;
    };
    EXPECT_EQ(by_hwloc(all), this_placement());
    std::thread bound([&] {
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (!all.contains(cpu)) continue;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
            EXPECT_EQ(by_hwloc(CpuSet::of_this_thread()), this_placement()) << "on CPU " << cpu;
        }
    });
    bound.join();
}

}  // namespace
}  // namespace rb2::topology
