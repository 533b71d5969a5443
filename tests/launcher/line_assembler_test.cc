#include "launcher/stdio/line_assembler.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rb2::launcher {
namespace {

TEST(LineAssembler, HoldsBackAnUnfinishedLine) {
    LineAssembler lines;
    EXPECT_EQ(lines.push("ab"), "");
    EXPECT_TRUE(lines.holds_partial_line());
    EXPECT_EQ(lines.push("c\nde"), "abc\n");
    EXPECT_EQ(lines.push("\n\nf"), "de\n\n");
    EXPECT_EQ(lines.flush(), "f");
    EXPECT_EQ(lines.flush(), "");
    EXPECT_FALSE(lines.holds_partial_line());
}

TEST(LineAssembler, TagsEveryLineOnce) {
    LineAssembler lines("[3] ");
    EXPECT_EQ(lines.push("a\nb\n\nc"), "[3] a\n[3] b\n[3] \n");
    EXPECT_EQ(lines.push("d\n"), "[3] cd\n");
    EXPECT_EQ(lines.push("end"), "");
    EXPECT_EQ(lines.flush(), "[3] end");
}

TEST(LineAssembler, TheTimeStandsBeforeTheTag) {
    LineAssembler lines("[3] ", [] { return std::string("noon "); });
    EXPECT_EQ(lines.push("a\nb"), "noon [3] a\n");
    EXPECT_EQ(lines.push("c\n"), "noon [3] bc\n");
}

TEST(LineAssembler, VeryLongLineIsPassedOnInPiecesWithOneTag) {
    LineAssembler lines("[0] ");
    const std::string half(LineAssembler::kMaxHeldBytes / 2 + 1, 'x');
    EXPECT_EQ(lines.push(half), "");
    EXPECT_EQ(lines.push(half), "[0] " + half + half);
    EXPECT_EQ(lines.push("tail\nnext\n"), "tail\n[0] next\n");
}

TEST(LineAssembler, AnySplitGivesTheSameText) {
    std::mt19937 random(1);
    const std::string text = "one\n\ntwo three\nfour\nlast";
    for (int round = 0; round < 200; ++round) {
        LineAssembler lines("> ");
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = 1 + random() % 6;
            out += lines.push(text.substr(at, length));
            at += length;
        }
        EXPECT_EQ(out + lines.flush(), "> one\n> \n> two three\n> four\n> last");
    }
}

}  // namespace
}  // namespace rb2::launcher
