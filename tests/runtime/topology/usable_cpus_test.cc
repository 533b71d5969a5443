#include "runtime/topology/usable_cpus.hpp"

#include <gtest/gtest.h>

#include "runtime/topology/cgroup.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "tests/runtime/temporary_tree.hpp"

namespace rb2::topology {
namespace {

TEST(CpuMax, Parses) {
    EXPECT_DOUBLE_EQ(parse_cpu_max("200000 100000").value(), 2.0);
    EXPECT_DOUBLE_EQ(parse_cpu_max("50000 100000").value(), 0.5);
    EXPECT_FALSE(parse_cpu_max("max 100000"));
    for (const char* odd : {"", "max", "100000", "100000 0", "-1 100000", "1e5x 100000", "100000 100000 7"})
        EXPECT_FALSE(parse_cpu_max(odd)) << odd;
}

TEST(CfsQuota, Parses) {
    EXPECT_DOUBLE_EQ(parse_cfs_quota("150000", "100000").value(), 1.5);
    EXPECT_FALSE(parse_cfs_quota("-1", "100000"));
    EXPECT_FALSE(parse_cfs_quota("100000", ""));
}

TEST(CgroupQuota, TheTightestAncestorCountsInVersion2) {
    const test::TemporaryTree tree;
    tree.write("job/step/task/cpu.max", "400000 100000");
    tree.write("job/step/cpu.max", "max 100000");
    tree.write("job/cpu.max", "150000 100000");
    EXPECT_DOUBLE_EQ(cgroup_quota("0::/job/step/task\n", tree.root()).value(), 1.5);
    EXPECT_FALSE(cgroup_quota("0::/job2\n", tree.root()));
    EXPECT_FALSE(cgroup_quota("0::/\n", tree.root()));
}

TEST(CgroupQuota, Version1AndTheHybridLayout) {
    const test::TemporaryTree tree;
    tree.write("cpu/box/cpu.cfs_quota_us", "300000");
    tree.write("cpu/box/cpu.cfs_period_us", "100000");
    tree.write("cpu/cpu.cfs_quota_us", "-1");
    tree.write("cpu/cpu.cfs_period_us", "100000");
    const std::string groups = "5:cpuset:/elsewhere\n2:cpu,cpuacct:/box\n0::/box\n";
    EXPECT_DOUBLE_EQ(cgroup_quota(groups, tree.root()).value(), 3.0);
    tree.write("unified/box/cpu.max", "100000 100000");
    EXPECT_DOUBLE_EQ(cgroup_quota(groups, tree.root()).value(), 1.0);
}

TEST(CgroupQuota, InAContainerOnlyTheMountedRootIsVisible) {
    const test::TemporaryTree tree;
    tree.write("cpu.max", "25000 100000");
    EXPECT_DOUBLE_EQ(cgroup_quota("0::/kubepods/pod1/abc\n", tree.root()).value(), 0.25);
}

TEST(CgroupDirectories, NamesWithASimilarControllerAreNotMistaken) {
    const test::TemporaryTree tree;
    EXPECT_TRUE(cgroup_directories("3:cpuset:/a\n4:cpuacct:/b\n", tree.root(), "cpu").empty());
    const std::vector<std::filesystem::path> expected = {tree.root() / "memory/a/b", tree.root() / "memory/a",
                                                         tree.root() / "memory"};
    EXPECT_EQ(cgroup_directories("7:memory:/a/b\n", tree.root(), "memory"), expected);
}

TEST(UsableCpus, IsPositiveAndWithinTheMask) {
    EXPECT_GT(usable_cpus(), 0);
    EXPECT_LE(usable_cpus(), CpuSet::of_this_thread().count());
}

}  // namespace
}  // namespace rb2::topology
