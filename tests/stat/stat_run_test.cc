// rb2stat looks at jobs that run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

struct Output {
    int exit_code;
    std::string text;  ///< both streams
};

Output rb2stat(const std::string& arguments) {
    const std::string command = std::string(RB2STAT) + " " + arguments + " 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), [](FILE*) { return 0; });
    Output output{-1, {}};
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        output.text.append(buffer.data(), count);
    output.exit_code = WEXITSTATUS(::pclose(pipe.get()));
    return output;
}

Output rb2stat_of(const Launch& job, const std::string& arguments) {
    return rb2stat(arguments + " " + std::to_string(job.pid()));
}

/// Ends when it goes.
class StuckJob {
  public:
    StuckJob(int ranks, const std::string& what) : launch_({"-n", std::to_string(ranks), STUCK, what}) {
        EXPECT_TRUE(launch_.wait_for_output("ready", ranks));
    }
    ~StuckJob() {
        launch_.signal(SIGTERM);
        EXPECT_EQ(launch_.finish().exit_code, 143);
        EXPECT_EQ(launch_.leftovers(), "");
    }
    [[nodiscard]] const Launch& operator*() const { return launch_; }

  private:
    Launch launch_;
};

TEST(Stat, OnceDuringARunningJob) {
    const StuckJob job(3, "send_cycle");
    const Output output = rb2stat_of(*job, "--once --matrix");
    EXPECT_EQ(output.exit_code, 0) << output.text;
    EXPECT_THAT(output.text,
                ContainsRegex("\n +0 +[0-9]+ +waits +3 +1.00 MiB +0 +0 B/s +3 +1.00 MiB +1 +2 "));
    EXPECT_THAT(output.text, HasSubstr("eager 6 ("));
    EXPECT_THAT(output.text, HasSubstr("rendezvous 3 (3.00 MiB)"));
    EXPECT_THAT(output.text, ContainsRegex("\n +0 +0 +3 +0\n +1 +0 +0 +3\n +2 +3 +0 +0\n"));
}

TEST(Stat, ByTheProcessOfARank) {
    const StuckJob job(2, "receive_cycle");
    const auto parsed = nlohmann::json::parse(rb2stat_of(*job, "--once --json").text);
    const auto pid = parsed["ranks"][1]["pid"].get<int>();
    const Output output = rb2stat("--once --json " + std::to_string(pid));
    EXPECT_EQ(output.exit_code, 0);
    EXPECT_EQ(nlohmann::json::parse(output.text)["ranks"][1]["pid"], pid);
}

TEST(Stat, TwoAtTheSameTime) {
    const StuckJob job(2, "receive_cycle");
    std::array<Output, 4> outputs;
    {
        std::array<std::jthread, 4> threads;
        for (std::size_t i = 0; i < threads.size(); ++i)
            threads[i] = std::jthread([&, i] { outputs[i] = rb2stat_of(*job, "--where"); });
    }
    for (const Output& output : outputs)
        EXPECT_THAT(output.text,
                    HasSubstr("deadlock: rank 0 waits for rank 1 (receive, tag 7) -> rank 1 waits for "
                              "rank 0 (receive, tag 7) -> rank 0"));
}

TEST(Stat, RatesOfABusyJobAndItsEnd) {
    Launch job({"-n", "2", STUCK, "busy"});
    ASSERT_TRUE(job.wait_for_output("ready", 2));
    const Output output = rb2stat_of(job, "--json --interval 0.3");
    EXPECT_EQ(output.exit_code, 0) << output.text;
    const auto first = nlohmann::json::parse(lines_of(output.text).front());
    EXPECT_GT(first["ranks"][0]["rates"]["sent_messages"], 0) << first;
    EXPECT_GE(lines_of(output.text).size(), 2U);
    EXPECT_EQ(job.finish().exit_code, 0);
}

TEST(Stat, WrongUse) {
    EXPECT_EQ(rb2stat("--once 0").exit_code, 2);
    EXPECT_EQ(rb2stat("--once x").exit_code, 2);
    EXPECT_EQ(rb2stat("--interval 0").exit_code, 2);
    EXPECT_EQ(rb2stat("--json --where").exit_code, 2);
    EXPECT_EQ(rb2stat("--help").exit_code, 0);
}

TEST(Stat, AProcessThatIsNoJob) {
    const Output none = rb2stat("--once 1073741823");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_THAT(none.text, HasSubstr("rb2stat: process 1073741823 does not exist"));
    const Output foreign = rb2stat("--once " + std::to_string(::getpid()));
    EXPECT_EQ(foreign.exit_code, 1);
    EXPECT_THAT(foreign.text, HasSubstr("is neither rb2run nor a rank of a job"));
}

TEST(Stat, AJobThatHasNotInitialized) {
    Launch job({"-n", "1", "sh", "-c", "echo ready; sleep 20"});
    ASSERT_TRUE(job.wait_for_output("ready"));
    EXPECT_EQ(rb2stat_of(job, "--once").exit_code, 1);
}

TEST(Stats, CountsOfAKnownProgramAreExact) {
    const Result result = run({"--stats", "-n", "3", STUCK, "known"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("3 of 3 ranks: sent 36 messages, 3146616 bytes (3.00 MiB); received 36 "
                                      "messages, 3146616 bytes (3.00 MiB)"));
    EXPECT_THAT(result.err, HasSubstr("rb2run:   eager       30 messages, 876 bytes"));
    EXPECT_THAT(result.err, HasSubstr("rb2run:   self        3 messages, 12 bytes"));
    EXPECT_THAT(result.err, HasSubstr("rb2run:   over shm    33 messages, 3146604 bytes"));
    EXPECT_THAT(result.err,
                HasSubstr("rank 1: sent 12 messages, 1048872 bytes; received 12 messages, 1048872 bytes"));
}

TEST(Stats, AlsoWhenARankFails) {
    const Result result = run({"--stats", "-n", "2", STUCK, "fail"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr("2 of 2 ranks: sent 2 messages, 8 bytes"));
}

TEST(Stats, OfAProgramThatIsNotOurs) {
    EXPECT_THAT(run({"--stats", "-n", "2", "true"}).err, HasSubstr("no rank has initialized MPI"));
}

}  // namespace
}  // namespace rb2::launcher::test
