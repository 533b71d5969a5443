#include "launcher/placement/map_by.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace rb2::launcher {
namespace {

using testing::HasSubstr;

std::string refused_map(const std::string& text) {
    try {
        return "accepted as " + to_text(parse_map_by(text));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

TEST(MapBy, FormsInAnyCaseComeBackAsText) {
    for (const auto& [text, same] : std::vector<std::pair<std::string, std::string>>{
             {"slot", "slot"},
             {"Core", "core"},
             {"socket", "package"},
             {"PPR:2:NUMA", "ppr:2:numa"},
             {"numa:pe=4", "numa:PE=4"},
             {"ppr:1:package:PE=2:OVERSUBSCRIBE", "ppr:1:package:PE=2"},
             {"node:oversubscribe", "node"}}) {
        EXPECT_EQ(to_text(parse_map_by(text)), same);
    }
    EXPECT_EQ(to_text(parse_map_by("ppr:2:package"), "socket"), "ppr:2:socket");
}

TEST(MapBy, WrongForms) {
    EXPECT_THAT(refused_map("moon"), HasSubstr("'moon' is none of slot, hwthread, core, numa"));
    EXPECT_THAT(refused_map(""), HasSubstr("'' is none of"));
    EXPECT_THAT(refused_map("ppr"), HasSubstr("expected ppr:N:UNIT"));
    EXPECT_THAT(refused_map("ppr:2"), HasSubstr("expected ppr:N:UNIT"));
    EXPECT_THAT(refused_map("ppr:0:core"), HasSubstr("'0' is no number of ranks"));
    EXPECT_THAT(refused_map("ppr:x:core"), HasSubstr("'x' is no number of ranks"));
    EXPECT_THAT(refused_map("ppr:2:slot"), HasSubstr("a slot takes one rank"));
    EXPECT_THAT(refused_map("core:PE=-1"), HasSubstr("'-1' is no number of cores"));
    EXPECT_THAT(refused_map("core:PE=99999999999"), HasSubstr("is no number of cores"));
    EXPECT_THAT(refused_map("core:span"), HasSubstr("'span' is none of PE=N"));
}

TEST(MapBy, WhatRanksAreBoundTo) {
    const auto binding = [](const char* map, std::optional<BindTo> wanted = std::nullopt) {
        return binding_for(parse_map_by(map), wanted);
    };
    EXPECT_EQ(binding("slot"), BindTo::none);
    EXPECT_EQ(binding("node"), BindTo::none);
    EXPECT_EQ(binding("numa"), BindTo::numa);
    EXPECT_EQ(binding("ppr:2:socket"), BindTo::package);
    EXPECT_EQ(binding("hwthread"), BindTo::hwthread);
    EXPECT_EQ(binding("numa:PE=2"), BindTo::core);
    EXPECT_EQ(binding("slot:PE=2"), BindTo::core);
    EXPECT_EQ(binding("slot:PE=2", BindTo::hwthread), BindTo::hwthread);
    EXPECT_EQ(binding("numa", BindTo::none), BindTo::none);
    EXPECT_THROW(static_cast<void>(binding("numa:PE=2", BindTo::numa)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(binding("slot:PE=2", BindTo::none)), std::invalid_argument);
}

}  // namespace
}  // namespace rb2::launcher
