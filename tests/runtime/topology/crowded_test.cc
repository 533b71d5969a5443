// Which ranks must share their CPUs.
#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <vector>

#include "runtime/topology/usable_cpus.hpp"

namespace rb2::topology {
namespace {

struct Case {
    const char* what;
    std::vector<const char*> masks;
    std::size_t own;
    std::optional<double> quota;
    bool crowded;
};

class Crowded : public ::testing::TestWithParam<Case> {};

TEST_P(Crowded, FollowsMasksAndQuota) {
    std::vector<CpuSet> masks;
    for (const char* list : GetParam().masks) masks.push_back(CpuSet::from_list(list));
    EXPECT_EQ(crowded(masks, GetParam().own, GetParam().quota), GetParam().crowded) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, Crowded,
    ::testing::Values(Case{"one CPU each, bound", {"0", "1"}, 0, {}, false},
                      Case{"unbound, a CPU for everyone", {"0-1", "0-1"}, 1, {}, false},
                      Case{"unbound, more ranks than CPUs", {"0-1", "0-1", "0-1"}, 0, {}, true},
                      Case{"all on the same CPU", {"0", "0"}, 0, {}, true},
                      Case{"two bound to one CPU of ours", {"0-1", "0", "0"}, 0, {}, true},
                      Case{"a wide neighbour can move away", {"0", "0-7"}, 0, {}, false},
                      Case{"quota of half a CPU", {"0-1"}, 0, 0.5, true},
                      Case{"quota for both", {"0-3", "0-3"}, 0, 2.0, false},
                      Case{"quota below the ranks", {"0-3", "0-3", "0-3"}, 0, 2.0, true}));

/// The kernel may move a thread at any moment, hence several attempts.
bool settles_on(std::size_t place, int cpu) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        settle(place);
        if (::sched_getcpu() == cpu) return true;
    }
    return false;
}

TEST(Settle, GoesRoundTheUsableCpusAndLeavesThemUsable) {
    const CpuSet usable = CpuSet::of_this_thread();
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CpuSet::from_list(std::to_string(cpu)).within(usable)) cpus.push_back(cpu);
    for (std::size_t place = 0; place < 2 * cpus.size(); ++place)
        EXPECT_TRUE(settles_on(place, cpus[place % cpus.size()])) << place;
    EXPECT_EQ(CpuSet::of_this_thread().count(), usable.count());
}

}  // namespace
}  // namespace rb2::topology
