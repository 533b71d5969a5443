#include "osu-style-bench/engine/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rb2::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Parsed parse(const Spec& spec, std::vector<const char*> flags) {
    flags.insert(flags.begin(), "program");
    return parse_options(spec, static_cast<int>(flags.size()), flags.data());
}

Options accepted(const Spec& spec, const std::vector<const char*>& flags) {
    const Parsed parsed = parse(spec, flags);
    EXPECT_TRUE(parsed.options.has_value()) << parsed.text;
    return parsed.options.value_or(Options{});
}

TEST(SizeList, StartsAtZeroThenDoubles) { EXPECT_THAT(size_list(0, 8), ElementsAre(0, 1, 2, 4, 8)); }

TEST(SizeList, DoublesFromAnOddStartAndStopsBelowTheEnd) {
    EXPECT_THAT(size_list(3, 20), ElementsAre(3, 6, 12));
}

TEST(SizeList, HoldsOneSizeWhenBothEndsAreEqual) { EXPECT_THAT(size_list(8, 8), ElementsAre(8)); }

TEST(Options, TakeTheDefaultsOfTheProgram) {
    const Options options = accepted(kBandwidth, {});
    EXPECT_EQ(options.min_bytes, kBandwidth.min_bytes);
    EXPECT_EQ(options.max_bytes, kBandwidth.max_bytes);
    EXPECT_EQ(options.iterations, kBandwidth.iterations);
    EXPECT_EQ(options.window, 64);
    EXPECT_FALSE(options.verify);
}

TEST(Options, ReadEveryForm) {
    const Options both =
        accepted(kLatency, {"-m", "16:64", "-i", "7", "-x", "3", "-c", "--dist", "--json", "f"});
    EXPECT_EQ(both.min_bytes, 16U);
    EXPECT_EQ(both.max_bytes, 64U);
    EXPECT_EQ(both.iterations, 7U);
    EXPECT_EQ(both.warmup, 3U);
    EXPECT_TRUE(both.verify);
    EXPECT_TRUE(both.distribution);
    EXPECT_EQ(both.json_path, "f");
}

TEST(Options, ThreadsOnlyWhereTheProgramHasThem) {
    EXPECT_EQ(accepted(kLatencyThreads, {}).threads, 2);
    EXPECT_EQ(accepted(kLatencyThreads, {"-t", "8"}).threads, 8);
    EXPECT_THAT(parse(kLatencyThreads, {"-t", "0"}).text, HasSubstr("-t"));
    EXPECT_FALSE(parse(kLatency, {"-t", "8"}).options.has_value());
}

TEST(Options, KeepTheOtherEndOfAHalfGivenRange) {
    EXPECT_EQ(accepted(kLatency, {"-m", "64"}).min_bytes, kLatency.min_bytes);
    EXPECT_EQ(accepted(kLatency, {"-m", "64"}).max_bytes, 64U);
    EXPECT_EQ(accepted(kLatency, {"-m", "64:"}).min_bytes, 64U);
    EXPECT_EQ(accepted(kLatency, {"-m", "64:"}).max_bytes, kLatency.max_bytes);
}

TEST(Options, AMaximumBelowTheDefaultMinimumIsTheOnlySize) {
    const Options options = accepted(kBandwidth, {"-m", "0"});
    EXPECT_THAT(size_list(options.min_bytes, options.max_bytes), ElementsAre(0));
}

TEST(Options, GivenCountsHoldForEverySizeUnlessLargeIsGivenToo) {
    EXPECT_EQ(iterations_for(accepted(kLatency, {"-i", "50"}), 4UL << 20), 50U);
    EXPECT_EQ(warmup_for(accepted(kLatency, {"-x", "30"}), 4UL << 20), 30U);
    const Options options = accepted(kLatency, {"-i", "1000", "-l", "20"});
    EXPECT_EQ(iterations_for(options, 8192), 1000U);
    EXPECT_EQ(iterations_for(options, 16384), 500U);
    EXPECT_EQ(iterations_for(options, 4UL << 20), 20U);
}

TEST(Options, FewerIterationsThanTheLowerBoundAreNotRaised) {
    EXPECT_EQ(iterations_for(accepted(kLatency, {"-i", "5", "-l", "20"}), 1UL << 20), 5U);
}

TEST(Options, QueueFlagsBelongToTheQueueProgramOnly) {
    const Options options = accepted(kLatencyPosted, {"-q", "100", "-u"});
    EXPECT_EQ(options.queue_depth, 100);
    EXPECT_TRUE(options.unexpected);
    EXPECT_EQ(parse(kLatency, {"-q", "100"}).exit_code, kUsageError);
    EXPECT_EQ(parse(kLatency, {"-W", "4"}).exit_code, kUsageError);
    EXPECT_EQ(parse(kInit, {"-m", "4"}).exit_code, kUsageError);
}

class BadFlags : public ::testing::TestWithParam<std::vector<const char*>> {};

TEST_P(BadFlags, AreAnErrorWithStatusTwoThatNamesTheProgram) {
    const Parsed parsed = parse(kBandwidth, GetParam());
    EXPECT_FALSE(parsed.options.has_value());
    EXPECT_EQ(parsed.exit_code, 2);
    EXPECT_THAT(parsed.text, StartsWith("osu_bw: "));
    EXPECT_THAT(parsed.text, HasSubstr("Try 'osu_bw --help'"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadFlags,
    ::testing::Values(std::vector<const char*>{"--nonsense"}, std::vector<const char*>{"-m", "8:4"},
                      std::vector<const char*>{"-m", "x"}, std::vector<const char*>{"-m", ":"},
                      std::vector<const char*>{"-m", "-1"}, std::vector<const char*>{"-m", "1:2:3"},
                      std::vector<const char*>{"-m", "2147483648"},
                      std::vector<const char*>{"-m", "99999999999999999999"},
                      std::vector<const char*>{"-i", "0"}, std::vector<const char*>{"-i"},
                      std::vector<const char*>{"-i", "many"}, std::vector<const char*>{"-W", "0"},
                      std::vector<const char*>{"-x", "-3"}, std::vector<const char*>{"surplus"}));

TEST(Options, HelpAndVersionAreAnswersWithStatusZero) {
    const Parsed help = parse(kLatency, {"-h"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_FALSE(help.options.has_value());
    EXPECT_THAT(help.text, HasSubstr("--message-size"));
    EXPECT_THAT(parse(kLatency, {"--version"}).text, StartsWith("osu_latency (rb2) "));
    EXPECT_EQ(parse(kLatency, {"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace rb2::bench
