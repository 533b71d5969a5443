// Placements from a pretended /sys: two packages of two NUMA nodes each, an L3 per node, an L2 per pair of
// CPUs.
#include "runtime/topology/placement.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/temporary_tree.hpp"

namespace rb2::topology {
namespace {

constexpr unsigned kCpus = 16;
constexpr std::uint32_t kSpans = Placement::kSpans;

/// "4-7" for the group of `size` CPUs around `cpu`.
std::string group(unsigned cpu, unsigned size) {
    const unsigned first = cpu / size * size;
    return fmt::format("{}-{}", first, first + size - 1);
}

class SysTree : public testing::Test {
  protected:
    SysTree() {
        for (unsigned node = 0; node < kCpus / 4; ++node)
            tree_.write(fmt::format("node/node{}/cpulist", node), group(4 * node, 4));
        for (unsigned cpu = 0; cpu < kCpus; ++cpu) add_cpu(cpu);
    }

    void add_cpu(unsigned cpu) const {
        const std::string directory = fmt::format("cpu/cpu{}/", cpu);
        tree_.write(directory + "cache/index0/level", "1");
        tree_.write(directory + "cache/index0/shared_cpu_list", std::to_string(cpu));
        tree_.write(directory + "cache/index1/level", "2");
        tree_.write(directory + "cache/index1/shared_cpu_list", group(cpu, 2));
        tree_.write(directory + "cache/index2/level", "3");
        tree_.write(directory + "cache/index2/shared_cpu_list", group(cpu, 4));
        tree_.write(directory + "topology/package_cpus_list", group(cpu, 8));
        tree_.link(directory + fmt::format("node{}", cpu / 4), fmt::format("node/node{}", cpu / 4));
    }

    [[nodiscard]] Placement on(const std::string& cpus) const {
        return placement_of(CpuSet::from_list(cpus), tree_.root());
    }

    test::TemporaryTree tree_;
};

TEST_F(SysTree, OneCpuLiesInOneGroupOfEachKind) {
    EXPECT_EQ(on("7"), (Placement{.l2 = 6, .l3 = 4, .numa_node = 1, .package = 0, .cpu_count = 1}));
}

TEST_F(SysTree, AMaskAcrossGroupsBelongsToNoneOfThem) {
    EXPECT_EQ(on("0-3"), (Placement{.l2 = kSpans, .l3 = 0, .numa_node = 0, .package = 0, .cpu_count = 4}));
    EXPECT_EQ(on("3-4"),
              (Placement{.l2 = kSpans, .l3 = kSpans, .numa_node = kSpans, .package = 0, .cpu_count = 2}));
    EXPECT_EQ(on("0-15"), (Placement{.cpu_count = 16}));
    EXPECT_EQ(on(""), Placement{});
}

TEST_F(SysTree, DistanceFollowsTheSmallestCommonGroup) {
    EXPECT_EQ(locality(on("0"), on("1")), Locality::shared_cache);  // L2
    EXPECT_EQ(locality(on("0"), on("3")), Locality::shared_cache);  // L3
    EXPECT_EQ(locality(on("0"), on("4")), Locality::same_socket);
    EXPECT_EQ(locality(on("0"), on("8")), Locality::same_host);
    EXPECT_EQ(locality(on("0-15"), on("0-15")), Locality::same_host);  // unbound: may be anywhere
    EXPECT_EQ(locality(on("0-7"), on("0")), Locality::same_socket);
}

TEST_F(SysTree, SameNodeWithoutASharedCache) {
    for (unsigned cpu = 0; cpu < 4; ++cpu)
        tree_.write(fmt::format("cpu/cpu{}/cache/index2/shared_cpu_list", cpu), group(cpu, 2));
    EXPECT_EQ(locality(on("0"), on("2")), Locality::same_numa);
}

TEST_F(SysTree, OlderKernelsNameThePackageDifferently) {
    std::filesystem::remove(tree_.root() / "cpu/cpu9/topology/package_cpus_list");
    tree_.write("cpu/cpu9/topology/core_siblings_list", "8-15");
    EXPECT_EQ(on("9").package, 8U);
}

TEST_F(SysTree, AKernelWithoutNumaHasOneNode) {
    std::filesystem::remove_all(tree_.root() / "node");
    EXPECT_EQ(on("9").numa_node, 0U);
}

TEST(Placement, MissingOrStrangeFilesOnlyCostKnowledge) {
    const test::TemporaryTree empty;
    empty.write("node/node0/cpulist", "0-1");
    EXPECT_EQ(placement_of(CpuSet::from_list("0"), empty.root()), (Placement{.cpu_count = 1}));
    empty.write("cpu/cpu0/cache/index0/level", "2");
    empty.write("cpu/cpu0/cache/index0/shared_cpu_list", "no list");
    EXPECT_EQ(placement_of(CpuSet::from_list("0"), empty.root()).l2, kSpans);
}

}  // namespace
}  // namespace rb2::topology
