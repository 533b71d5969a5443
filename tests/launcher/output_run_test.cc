// Forwarded output: complete, in whole lines, tagged or in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kFlood = 1'000'000;

/// Every line must be "RANK NUMBER" with the numbers of each rank ascending from 0; gives bytes per rank.
std::map<int, std::size_t> check_flood(const std::string& out) {
    std::map<int, std::size_t> bytes;
    std::map<int, int> next;
    for (const std::string& line : lines_of(out)) {
        int rank = -1;
        int number = -1;
        int length = 0;
        EXPECT_EQ(std::sscanf(line.c_str(), "%d %d%n", &rank, &number, &length), 2) << line;
        EXPECT_EQ(static_cast<std::size_t>(length), line.size()) << line;
        EXPECT_EQ(number, next[rank]) << line;
        next[rank] = number + 1;
        bytes[rank] += line.size() + 1;
    }
    return bytes;
}

TEST(Output, EverythingBeforeAnAbortAppears) {
    const Result result =
        run(client_job(4, {"init", "flood:1000000", "fence", "2=abort:42:enough", "pause"}));
    EXPECT_EQ(result.exit_code, 42);
    const auto bytes = check_flood(result.out);
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_GE(bytes.at(rank), kFlood) << "rank " << rank;
    }
}

TEST(Output, LinesOfRanksNeverMix) {
    const Result result = run(client_job(4, {"flood:300000"}));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(check_flood(result.out).size(), 4U);
}

TEST(Output, TagsStandAtTheBeginningOfLinesOnly) {
    const char* script = "i=0; while [ $i -lt 200 ]; do printf 'one '; printf 'line\\n'; i=$((i+1)); done";
    const Result result = run({"-l", "-n", "3", "sh", "-c", script});
    const std::vector<std::string> lines = lines_of(result.out);
    EXPECT_EQ(lines.size(), 600U);
    for (const std::string& line : lines) {
        EXPECT_THAT(line, testing::AnyOf("[0] one line", "[1] one line", "[2] one line"));
    }
}

TEST(Output, TimeStandsBeforeEveryLine) {
    const Result result = run({"-l", "--timestamp-output", "-n", "2", "sh", "-c", "echo one; echo two"});
    const std::vector<std::string> lines = lines_of(result.out);
    EXPECT_EQ(lines.size(), 4U);
    for (const std::string& line : lines) {
        EXPECT_THAT(line, testing::MatchesRegex(
                              "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}[.][0-9]{3} \\[[01]\\] (one|two)"));
    }
}

TEST(Output, StderrIsForwardedToStderr) {
    const Result result = run({"--tag-output", "-n", "2", "sh", "-c", "echo to-err >&2; echo to-out"});
    EXPECT_THAT(result.err, HasSubstr("[1] to-err\n"));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("to-err")));
}

TEST(Output, LastLineWithoutNewlineIsKept) {
    EXPECT_EQ(run({"printf", "no newline"}).out, "no newline");
    const Result two = run({"-n", "2", "printf", "x"});
    EXPECT_EQ(two.out, "x\nx");  // the second rank does not continue the first one's line
}

TEST(Output, BytesOfOneRankPassUnchanged) {
    const Result result = run({"head", "-c", "3000000", "/dev/zero"});
    EXPECT_EQ(result.out, std::string(3000000, '\0'));
}

TEST(Output, ClosedReaderEndsTheRanksNotTheLauncher) {
    Launch launch({"-n", "2", "yes"}, {{}, {"sh", "-c", "\"$@\" | head -n 1; echo after", "sh"}, ""});
    const Result result = launch.finish();
    EXPECT_EQ(result.out, "y\nafter\n");
    EXPECT_EQ(launch.leftovers(std::chrono::milliseconds{3000}), "");
}

TEST(Output, SlowReaderGetsEverything) {
    Launch launch({"-n", "2", client(), "flood:3000000"},
                  {{}, {"sh", "-c", "\"$@\" | { sleep 3; cat; }", "sh"}, ""});
    const Result result = launch.finish();
    const auto bytes = check_flood(result.out);
    EXPECT_GE(bytes.at(0), 3'000'000U);
    EXPECT_GE(bytes.at(1), 3'000'000U);
    EXPECT_EQ(launch.leftovers(), "");
}

TEST(Output, FilesPerRank) {
    const fs::path dir = fs::temp_directory_path() / ("rb2-output-" + std::to_string(::getpid()));
    const std::vector<std::string> job = {
        "--output", dir / "deep", "-n", "2", "sh", "-c", "echo out $PMIX_RANK; echo err $PMIX_RANK >&2"};
    const Result result = run(job);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(read_file(dir / "deep" / "rank.1.out"), "out 1\n");
    EXPECT_EQ(read_file(dir / "deep" / "rank.0.err"), "err 0\n");

    const Result again = run(job);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("rank.0.out exists already and is not overwritten"));
    fs::remove_all(dir);
}

}  // namespace
}  // namespace rb2::launcher::test
