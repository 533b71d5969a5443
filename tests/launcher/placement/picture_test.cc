#include "launcher/placement/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rb2::launcher {
namespace {

using topology::CpuSet;
using topology::Machine;

std::string draw(const Machine& machine, const CpuSet& allowed, const char* map_by, int ranks) {
    const MapBy map = parse_map_by(map_by);
    return draw_bindings(machine, allowed,
                         plan_binding(machine, allowed, {map, binding_for(map, std::nullopt), ranks}));
}

TEST(Picture, RanksStandOnTheirHardwareThreads) {
    EXPECT_EQ(draw(Machine::synthetic("pack:2 numa:1 core:2 pu:2"), CpuSet::from_list("0-6"), "core", 3),
              "rb2run: package 0, numa node 0\n"
              "rb2run:    core 0  core 1\n"
              "rb2run:  | 0     | 1     |\n"
              "rb2run:  | 0     | 1     |\n"
              "rb2run: package 1, numa node 1\n"
              "rb2run:    core 2  core 3\n"
              "rb2run:  | 2     | .     |\n"
              "rb2run:  | 2     | x     |\n");
}

TEST(Picture, RanksThatShareAreFolded) {
    const Machine machine = Machine::synthetic("numa:2 core:2 pu:1");
    EXPECT_EQ(draw(machine, machine.cpus(), "ppr:20:numa", 25),
              "rb2run: numa node 0\n"
              "rb2run:    core 0  core 1\n"
              "rb2run:  | 0-19  | 0-19  |\n"
              "rb2run: numa node 1\n"
              "rb2run:    core 2  core 3\n"
              "rb2run:  | 20-24 | 20-24 |\n");
}

TEST(Picture, ManyCoresTakeSeveralRows) {
    const Machine machine = Machine::synthetic("core:64 pu:1");
    const std::string text = draw(machine, machine.cpus(), "core", 64);
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 9);
    EXPECT_THAT(text, testing::HasSubstr("| 63"));
}

TEST(Picture, NobodyBoundIsNoPicture) {
    const Machine machine = Machine::synthetic("core:2 pu:1");
    EXPECT_EQ(draw(machine, machine.cpus(), "slot", 2), "");
}

TEST(Picture, MachineWithoutCores) {
    const Machine machine = Machine::synthetic("pu:2");
    EXPECT_EQ(draw(machine, machine.cpus(), "hwthread", 1),
              "rb2run: numa node 0\n"
              "rb2run:    hwthread 0  hwthread 1\n"
              "rb2run:  | 0         | .         |\n");
}

}  // namespace
}  // namespace rb2::launcher
