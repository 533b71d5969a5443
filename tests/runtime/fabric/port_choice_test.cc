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
        static_cast<void>(choose_ports(ports, options));
    } catch (const StartupError& error) {
        return error.what();
    }
    return "";
}

using Places = std::vector<std::size_t>;

TEST(PortChoice, AllEqualsInTheirOrderUpToTheLimit) {
    EXPECT_EQ(choose_ports(std::vector{port("mlx5_0"), port("mlx5_1")}, {}), (Places{0, 1}));
    const std::vector many(9, port("mlx5_0"));
    EXPECT_EQ(choose_ports(many, {}).size(), kMostRails);
    EXPECT_EQ(choose_ports(many, {.rails = 1}), Places{0});
    EXPECT_EQ(choose_ports(many, {.rails = 3}), (Places{0, 1, 2}));
}

TEST(PortChoice, WorseOnesOnlyWhereANumberIsWished) {
    std::vector ports{port("slow"), port("far"), port("good"), port("same")};
    ports[0].gigabits = 25;
    ports[1].near = false;
    EXPECT_EQ(choose_ports(ports, {}), (Places{2, 3}));
    EXPECT_EQ(choose_ports(ports, {.rails = 3}), (Places{2, 3, 0}));
    EXPECT_EQ(choose_ports(ports, {.rails = 4}), (Places{2, 3, 0, 1}));
}

TEST(PortChoice, NearGoesBeforeFast) {
    std::vector ports{port("mlx5_0"), port("mlx5_1"), port("mlx5_2")};
    ports[0].near = false;
    ports[0].gigabits = 400;
    ports[2].gigabits = 200;
    EXPECT_EQ(choose_ports(ports, {}), Places{2});
}

TEST(PortChoice, OnlyActivePortsWithAGid) {
    std::vector ports{port("mlx5_0", 1), port("mlx5_0", 2), port("mlx5_1")};
    ports[0].active = false;
    ports[1].gids = 0;
    ports[2].near = false;
    EXPECT_EQ(choose_ports(ports, {}), Places{2});
}

TEST(PortChoice, OptionsAreKept) {
    const std::vector ports{port("mlx5_0", 1), port("mlx5_0", 2), port("mlx5_1", 1)};
    EXPECT_EQ(choose_ports(ports, {.device = "mlx5_1"}), Places{2});
    EXPECT_EQ(choose_ports(ports, {.port = 2}), Places{1});
    EXPECT_EQ(choose_ports(ports, {.device = "mlx5_1,mlx5_0:2"}), (Places{1, 2}));
    EXPECT_EQ(choose_ports(ports, {.device = "mlx5_0"}), (Places{0, 1}));
}

TEST(PortChoice, AWrongNameInTheListIsAnErrorThatNamesIt) {
    const std::vector ports{port("mlx5_0"), port("mlx5_1")};
    EXPECT_THAT(refusal(ports, {.device = "mlx5_0,mlx5_7"}), HasSubstr("no RDMA device or port 'mlx5_7'"));
    EXPECT_THAT(refusal(ports, {.device = "mlx5_0,mlx5_1:2"}), HasSubstr("'mlx5_1:2'"));
    EXPECT_THAT(refusal(ports, {.device = "mlx5_0,"}), HasSubstr("''")) << "an empty word is a slip";
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
