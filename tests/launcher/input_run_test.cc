// Standard input goes to rank 0, byte for byte, and to nobody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

std::string random_bytes(std::size_t count) {
    std::mt19937 generator(7);
    std::string bytes(count, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(generator());
    }
    return bytes;
}

TEST(Input, MuchMoreThanAPipeHoldsReachesRankZeroUnchanged) {
    const std::string bytes = random_bytes(3'000'001);
    const Result result = run({"-n", "3", "cat"}, {{}, {}, bytes});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(result.out == bytes);
}

TEST(Input, SlowReaderGetsEverything) {
    const std::string bytes = random_bytes(400'000);
    const Result result = run({"-n", "2", "sh", "-c", "sleep 0.3; cat"}, {{}, {}, bytes});
    EXPECT_TRUE(result.out == bytes);
}

TEST(Input, OtherRanksSeeEndOfFile) {
    const Result result = run({"-n", "3", "sh", "-c", "test $PMIX_RANK = 0 || wc -c"}, {{}, {}, "text"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "0\n0\n");
}

TEST(Input, RankThatDoesNotReadDoesNotHoldUpTheJob) {
    EXPECT_EQ(run({"-n", "2", "true"}, {{}, {}, random_bytes(1'000'000)}).exit_code, 0);
}

TEST(Input, RegularFileIsRead) {
    const Result result = run({"-n", "2", "cat"}, {{}, {"sh", "-c", "exec \"$@\" < /etc/passwd", "sh"}, ""});
    EXPECT_THAT(result.out, testing::HasSubstr("root:"));
}

TEST(Input, ClosedStandardDescriptorsDoNoHarm) {
    const Result result = run({"-n", "2", "cat"}, {{}, {"sh", "-c", "exec \"$@\" <&- 2>&-", "sh"}, ""});
    EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace rb2::launcher::test
