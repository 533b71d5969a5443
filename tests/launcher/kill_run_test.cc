// kill -9 of the launcher or of a rank at random moments: 3 s later no process, file or segment of the job is
// left. RB2_KILL_ROUNDS sets the number of rounds (default 20), RB2_KILL_SEED the seed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

constexpr std::chrono::milliseconds kPatience{3000};

unsigned setting(const char* name, unsigned otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? static_cast<unsigned>(std::stoul(value)) : otherwise;
}

/// Ranks with segments and grandchildren, in every phase of a PMIx program.
std::vector<std::string> busy_job() {
    return client_job(4, {"mute", "segment", "child:60000", "init", "fence", "daemon:60000", "sleep:20",
                          "fence", "finalize", "sleep:20"});
}

/// A random process of the job that is a rank (or just about to be), not rb2run or its keeper.
pid_t pick_rank(const Launch& launch, std::mt19937& random) {
    std::vector<pid_t> ranks;
    for (const pid_t pid : launch.processes()) {
        if (read_file("/proc/" + std::to_string(pid) + "/cmdline").starts_with(client())) {
            ranks.push_back(pid);
        }
    }
    return ranks.empty() ? -1 : ranks[random() % ranks.size()];
}

TEST(Kill, RandomMoments) {
    const unsigned seed = setting("RB2_KILL_SEED", std::random_device{}());
    std::mt19937 random(seed);
    for (unsigned round = 0; round < setting("RB2_KILL_ROUNDS", 20); ++round) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
        Launch launch(busy_job());
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 90'000));
        const bool kill_launcher = random() % 2 == 0;
        const pid_t victim = kill_launcher ? launch.pid() : pick_rank(launch, random);
        if (victim > 0) {
            ::kill(victim, SIGKILL);
        }
        (void)launch.finish();
        ASSERT_EQ(launch.leftovers(kPatience), "") << (kill_launcher ? "launcher" : "rank") << " killed";
    }
}

TEST(Kill, LauncherDuringTheRun) {
    Launch launch(
        client_job(4, {"segment", "child:60000", "daemon:60000", "init", "fence", "print:ready", "pause"}));
    ASSERT_TRUE(launch.wait_for_output("ready", 4));
    launch.signal(SIGKILL);
    EXPECT_EQ(launch.finish().exit_code, 137);
    EXPECT_EQ(launch.leftovers(kPatience), "");
}

TEST(Kill, KeeperIgnoresWhatATerminalSends) {
    Launch launch(client_job(2, {"segment", "print:ready", "pause"}));
    ASSERT_TRUE(launch.wait_for_output("ready", 2));
    for (const pid_t pid : launch.processes()) {
        if (read_file("/proc/" + std::to_string(pid) + "/comm") == "rb2run-keeper\n") {
            for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
                ::kill(pid, signal);
            }
        }
    }
    launch.signal(SIGKILL);
    (void)launch.finish();
    EXPECT_EQ(launch.leftovers(kPatience), "");
}

/// As a batch system or a container ends a job: nobody is left to clean up.
void kill_everybody(const Launch& launch) {
    for (const pid_t pid : launch.processes()) ::kill(pid, SIGKILL);
}

Settings same_temporary_directory(const Launch& launch) {
    return {{"TMPDIR=" + launch.temporary_directory().string()}, {}, ""};
}

TEST(Kill, WhatNobodyCouldRemoveTheNextJobDoes) {
    Launch launch(client_job(2, {"segment", "init", "print:ready", "pause"}));
    ASSERT_TRUE(launch.wait_for_output("ready", 2));
    kill_everybody(launch);
    EXPECT_EQ(launch.finish().exit_code, 137);
    ASSERT_NE(launch.leftovers(), "");
    EXPECT_EQ(run({"true"}, same_temporary_directory(launch)).exit_code, 0);
    EXPECT_EQ(launch.leftovers(kPatience), "");
}

TEST(Kill, AJobThatRunsIsLeftAlone) {
    Launch launch(client_job(2, {"segment", "init", "print:ready", "pause"}));
    ASSERT_TRUE(launch.wait_for_output("ready", 2));
    const std::string before = launch.leftovers();
    EXPECT_EQ(run({"true"}, same_temporary_directory(launch)).exit_code, 0);
    EXPECT_EQ(launch.leftovers(), before);
    launch.signal(SIGTERM);
    EXPECT_EQ(launch.finish().exit_code, 143);
}

TEST(Kill, NestedLaunchersCleanUpToo) {
    std::vector<std::string> inner =
        client_job(2, {"segment", "daemon:60000", "init", "fence", "print:ready", "pause"});
    std::vector<std::string> outer = {"-n", "1", rb2run()};
    outer.insert(outer.end(), inner.begin(), inner.end());
    Launch launch(outer);
    ASSERT_TRUE(launch.wait_for_output("ready", 2));
    launch.signal(SIGKILL);
    (void)launch.finish();
    EXPECT_EQ(launch.leftovers(kPatience), "");
}

}  // namespace
}  // namespace rb2::launcher::test
