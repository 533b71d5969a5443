#include <gtest/gtest.h>

#include "launcher/engine/capture.hpp"
#include "launcher/engine/choose.hpp"
#include "launcher/engine/local_names.hpp"

namespace rb2::launcher {
namespace {

TEST(CaptureOutput, BothStreams) {
    EXPECT_EQ(capture_output({"sh", "-c", "echo a; echo b >&2; exit 3"}), "a\nb\n");
    EXPECT_EQ(capture_output({"cat"}), "");  // no input
}

TEST(CaptureOutput, WhatCannotBeStartedSaysNothing) { EXPECT_EQ(capture_output({"/no/such/program"}), ""); }

TEST(CaptureOutput, EndlessOutputIsCut) {
    EXPECT_EQ(capture_output({"yes"}).size(), 65536U);
    EXPECT_EQ(capture_output({"sh", "-c", "printf 12; sleep 0.05; exec yes"}).size(),
              65536U);  // comes in pieces
}

TEST(LocalNames, OwnNameFirst) {
    const std::vector<std::string> names = local_names({});
    ASSERT_GE(names.size(), 2U);
    EXPECT_TRUE(is_local("localhost", names));
    EXPECT_TRUE(is_local(names.front(), local_names({{names.front(), 1}})));
}

TEST(LocalNames, AddressesOfThisMachine) {
    EXPECT_TRUE(is_local("127.0.0.1", local_names({{"127.0.0.1", 1}})));
    EXPECT_TRUE(is_local("127.0.1.1", local_names({{"127.0.1.1", 1}})));
    EXPECT_FALSE(is_local("192.0.2.7", local_names({{"192.0.2.7", 1}})));  // reserved for documentation
}

}  // namespace
}  // namespace rb2::launcher
