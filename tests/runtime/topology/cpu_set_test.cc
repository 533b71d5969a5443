#include "runtime/topology/cpu_set.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/status.hpp"

namespace rb2::topology {
namespace {

TEST(CpuSet, ReadsAndWritesTheKernelsListNotation) {
    const CpuSet set = CpuSet::from_list("0-3,8,130-131\n");
    EXPECT_EQ(set.count(), 7);
    EXPECT_EQ(set.first(), 0);
    EXPECT_TRUE(set.contains(131));
    EXPECT_FALSE(set.contains(4));
    EXPECT_EQ(set.to_list(), "0-3,8,130-131");
}

TEST(CpuSet, BlankTextIsTheEmptySet) {
    EXPECT_TRUE(CpuSet::from_list("").empty());
    EXPECT_TRUE(CpuSet::from_list(" \n").empty());
    EXPECT_EQ(CpuSet{}.to_list(), "");
    EXPECT_EQ(CpuSet{}.first(), -1);
}

TEST(CpuSet, RefusesWhatIsNotAList) {
    EXPECT_THROW((void)CpuSet::from_list("0x3"), StartupError);
    EXPECT_THROW((void)CpuSet::from_list("0-3 8"), StartupError);
    EXPECT_THROW((void)CpuSet::from_list("all"), StartupError);
}

TEST(CpuSet, CopiesAreIndependent) {
    const CpuSet original = CpuSet::from_list("1");
    CpuSet copy = original;
    copy.add(5);
    EXPECT_EQ(original.to_list(), "1");
    EXPECT_EQ(copy.to_list(), "1,5");
    EXPECT_TRUE(original.within(copy));
    EXPECT_FALSE(copy.within(original));
    copy = original;
    EXPECT_EQ(copy, original);
}

TEST(CpuSet, ThisThreadHasAtLeastOneAndAtMostAllCpus) {
    const CpuSet mine = CpuSet::of_this_thread();
    EXPECT_GE(mine.count(), 1);
    EXPECT_LE(mine.count(), ::sysconf(_SC_NPROCESSORS_CONF));
}

TEST(CpuSet, AProcessThatHasEndedHasNone) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_FALSE(CpuSet::of_process(child).has_value());
    EXPECT_EQ(*CpuSet::of_process(::getpid()), CpuSet::of_this_thread());
}

}  // namespace
}  // namespace rb2::topology
