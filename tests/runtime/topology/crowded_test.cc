// Which ranks must share their CPUs.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rb2::topology
