#include "runtime/fabric/verbs/port_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/status.hpp"

namespace rb2::fabric::verbs {
namespace {

using testing::HasSubstr;

PortInfo port(const std::string& device, int number = 1) {
    return {.device = device, .port = number, .active = true, .near = true, .gigabits = 100, .gids = 2};
}

std::string refusal(const std::vector<PortInfo>& ports, const Options& options = {}) {
    try {
        static_cast<void>(choose_port(ports, options));
    } catch (const StartupError& error) {
        return error.what();
    }
    return "";
}

TEST(PortChoice, TheFirstOfEquals) {
    EXPECT_EQ(choose_port(std::vector{port("mlx5_0"), port("mlx5_1")}, {}), 0U);
}

TEST(PortChoice, NearGoesBeforeFast) {
    std::vector ports{port("mlx5_0"), port("mlx5_1"), port("mlx5_2")};
    ports[0].near = false;
    ports[0].gigabits = 400;
    ports[2].gigabits = 200;
    EXPECT_EQ(choose_port(ports, {}), 2U);
}

TEST(PortChoice, OnlyActivePortsWithAGid) {
    std::vector ports{port("mlx5_0", 1), port("mlx5_0", 2), port("mlx5_1")};
    ports[0].active = false;
    ports[1].gids = 0;
    ports[2].near = false;
    EXPECT_EQ(choose_port(ports, {}), 2U);
}

TEST(PortChoice, OptionsAreKept) {
    const std::vector ports{port("mlx5_0", 1), port("mlx5_0", 2), port("mlx5_1", 1)};
    EXPECT_EQ(choose_port(ports, {.device = "mlx5_1"}), 2U);
    EXPECT_EQ(choose_port(ports, {.port = 2}), 1U);
}

TEST(PortChoice, ARefusalNamesEveryPortAndItsReason) {
    std::vector ports{port("mlx5_0"), port("rxe0")};
    ports[0].active = false;
    ports[1].gids = 0;
    const std::string text = refusal(ports);
    EXPECT_THAT(text, HasSubstr("mlx5_0 port 1: not active"));
    EXPECT_THAT(text, HasSubstr("rxe0 port 1: no GID"));
    EXPECT_THAT(refusal({}), HasSubstr("no RDMA device"));
    EXPECT_THAT(refusal({port("rxe0")}, {.device = "mlx5_9"}), HasSubstr("RB2_VERBS_DEVICE=mlx5_9"));
}

}  // namespace
}  // namespace rb2::fabric::verbs
