#include "launcher/cli/nearest_name.hpp"

#include <gtest/gtest.h>

namespace rb2::launcher {
namespace {

TEST(EditDistance, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("abc", "abc"), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", "abd"), 1U);
    EXPECT_EQ(edit_distance("abc", "ab"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(EditDistance, SwappedNeighboursAreOneEdit) {
    EXPECT_EQ(edit_distance("tiemout", "timeout"), 1U);
    EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(NearestName, PicksTheClosest) {
    const std::vector<std::string> names = {"--timeout", "--tag-output", "--bind-to"};
    EXPECT_EQ(nearest_name("--tiemout", names), "--timeout");
    EXPECT_EQ(nearest_name("--bindto", names), "--bind-to");
}

TEST(NearestName, NonsenseGetsNoAdvice) {
    EXPECT_EQ(nearest_name("--xyzzy", {"--timeout", "--wdir-of-something"}), "");
    EXPECT_EQ(nearest_name("--nonsense", {"--hosts", "--tag-output"}), "");
    EXPECT_EQ(nearest_name("-q", {"-n", "-x"}), "");
}

TEST(NearestName, FirstWinsATie) { EXPECT_EQ(nearest_name("--aa", {"--ab", "--ac"}), "--ab"); }

}  // namespace
}  // namespace rb2::launcher
