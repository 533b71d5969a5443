#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "osu-style-bench/compare/case.hpp"
#include "osu-style-bench/compare/library.hpp"
#include "osu-style-bench/compare/machine.hpp"
#include "osu-style-bench/compare/plot.hpp"
#include "osu-style-bench/compare/process.hpp"
#include "osu-style-bench/compare/samples.hpp"
#include "osu-style-bench/compare/table.hpp"

namespace rb2::bench::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const std::vector<Library> kThree{{"rb2", "rb2", "rb2run", "/a", ""},
                                  {"openmpi", "Open MPI", "mpirun", "/b", ""},
                                  {"mpich", "MPICH", "mpiexec", "/c", ""}};

TEST(Samples, ReadTheWantedColumnUnderTheProgramsOrTheGivenKey) {
    const nlohmann::json report{{"rows", {{{"key", 8}, {"values", {1.0, 2.0}}}}}};
    Case bench = select_cases(all_cases({}), {"mbw_mr"}).front();
    Samples samples;
    add_figures(samples, report, bench, {2, {}, std::nullopt});
    add_figures(samples, report, bench, {2, {}, 100});
    EXPECT_THAT(samples[8], ElementsAre(2.0));
    EXPECT_THAT(samples[100], ElementsAre(2.0));
    bench.figure = 2;
    EXPECT_THROW(add_figures(samples, report, bench, {2, {}, {}}), std::runtime_error);
}

TEST(CompareSamples, TakesMediansAndTheBetterPeerForLatency) {
    const auto rows =
        compare_samples({{{8, {1.0, 9.0, 2.0}}}, {{8, {4.0}}}, {{8, {3.0, 5.0}}}}, Better::Lower);
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_DOUBLE_EQ(*rows[0].figures[0], 2.0);
    EXPECT_DOUBLE_EQ(*rows[0].ratio, 0.5);
    EXPECT_TRUE(rows[0].better);
}

TEST(CompareSamples, TakesTheHigherPeerForBandwidth) {
    const auto rows = compare_samples({{{8, {6.0}}}, {{8, {4.0}}}, {{8, {8.0}}}}, Better::Higher);
    EXPECT_DOUBLE_EQ(*rows[0].ratio, 0.75);
    EXPECT_FALSE(rows[0].better);
}

TEST(CompareSamples, AnAbsentPeerLeavesTheOther) {
    const auto rows = compare_samples({{{8, {2.0}}}, {}, {{8, {1.0}}}}, Better::Lower);
    EXPECT_FALSE(rows[0].figures[1].has_value());
    EXPECT_DOUBLE_EQ(*rows[0].ratio, 2.0);
    EXPECT_FALSE(rows[0].better);
}

TEST(CompareSamples, WithoutRb2OrWithoutPeersThereIsNoRatio) {
    EXPECT_FALSE(compare_samples({{}, {{8, {1.0}}}, {}}, Better::Lower)[0].ratio.has_value());
    EXPECT_FALSE(compare_samples({{{8, {1.0}}}, {}, {}}, Better::Lower)[0].ratio.has_value());
}

TEST(CompareSamples, KeepsEveryKeyOfAnyLibraryInOrder) {
    const auto rows = compare_samples({{{8, {1.0}}}, {{2, {1.0}}}, {{4, {1.0}}}}, Better::Lower);
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_EQ(rows[0].key, 2U);
    EXPECT_EQ(rows[2].key, 8U);
}

Compared latency_of(std::vector<ComparedRow> rows) {
    return {select_cases(all_cases({}), {"latency"}).front(), std::move(rows)};
}

TEST(Table, ShowsFiguresVerdictAndLimit) {
    auto rows = compare_samples({{{8, {0.3}}}, {{8, {0.6}}}, {}}, Better::Lower);
    rows[0].limit = 0.15;
    const std::string text = table_text(latency_of(rows), kThree);
    EXPECT_THAT(text, HasSubstr("# Size"));
    EXPECT_THAT(text, HasSubstr("0.50 better"));
    EXPECT_THAT(text, HasSubstr("rb2/limit"));
    EXPECT_THAT(text, HasSubstr("0.15      2.00"));
    EXPECT_THAT(text, HasSubstr("             -"));
}

TEST(Table, HasNoLimitColumnWhenNoLimitIsKnown) {
    const auto rows = compare_samples({{{8, {0.9}}}, {{8, {0.6}}}, {}}, Better::Lower);
    const std::string text = table_text(latency_of(rows), kThree);
    EXPECT_THAT(text, HasSubstr("1.50 worse"));
    EXPECT_THAT(text, Not(HasSubstr("rb2/limit")));
}

TEST(Table, JsonLeavesOutWhatWasNotMeasured) {
    const auto rows = compare_samples({{{8, {0.3}}}, {{8, {0.6}}}, {}}, Better::Lower);
    const nlohmann::json json = table_json(latency_of(rows), kThree);
    const auto& row = json.at("rows").at(0);
    EXPECT_EQ(row.at("openmpi"), 0.6);
    EXPECT_EQ(row.at("ratio"), 0.5);
    EXPECT_EQ(row.at("verdict"), "better");
    EXPECT_FALSE(row.contains("mpich"));
    EXPECT_FALSE(row.contains("limit"));
}

TEST(Cases, UnknownNamesAreRefusedWithTheKnownOnes) {
    try {
        select_cases(all_cases({}), {"latencey"});
        FAIL() << "no exception";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("latencey"));
        EXPECT_THAT(error.what(), HasSubstr("latency, bw"));
    }
}

TEST(Cases, EveryDefaultNameExists) {
    for (const bool quick : {false, true}) {
        const Effort effort{quick, "", false};
        EXPECT_THAT(select_cases(all_cases(effort), default_names(effort)),
                    SizeIs(default_names(effort).size()));
    }
}

TEST(Launch, OpenMpiIsToldOfRootAndOfTooManyRanks) {
    EXPECT_THAT(
        launch_command(kThree[1], {2, true}, 8, "osu_token", {"-c"}),
        ElementsAre("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "8", "/b/osu_token", "-c"));
    EXPECT_THAT(launch_command(kThree[1], {2, false}, 2, "osu_bw", {}),
                ElementsAre("mpirun", "-n", "2", "/b/osu_bw"));
    EXPECT_THAT(launch_command(kThree[0], {2, true}, 8, "osu_bw", {}),
                ElementsAre("rb2run", "-n", "8", "/a/osu_bw"));
}

TEST(Launch, ALibraryThatIsNotThereSaysWhatIsMissing) {
    Places places;
    places.openmpi_launcher = "/no/such/mpirun";
    const auto libraries = find_libraries(places);
    ASSERT_THAT(libraries, SizeIs(3));
    EXPECT_THAT(libraries[1].missing, HasSubstr("/no/such/mpirun"));
}

TEST(MachineLimit, ChoosesTheYardstickBySize) {
    MachineLimits machine{0.05, 1e8, {{4096, {10.0, 0.5}}}};
    EXPECT_EQ(limit_for(machine, Yardstick::Latency, 8), 0.05);
    EXPECT_EQ(limit_for(machine, Yardstick::Latency, 512), std::nullopt);
    EXPECT_EQ(limit_for(machine, Yardstick::Latency, 4096), 0.5);
    EXPECT_EQ(limit_for(machine, Yardstick::Bandwidth, 4096), 1e4);
    EXPECT_EQ(limit_for(machine, Yardstick::Bandwidth, 8), std::nullopt);
    EXPECT_EQ(limit_for(machine, Yardstick::SlotRate, 8), 1e8);
    EXPECT_EQ(limit_for(machine, Yardstick::None, 8), std::nullopt);
}

TEST(Plot, DrawsWhatWasMeasuredAndLeavesOutSizeZero) {
    const auto rows = compare_samples({{{0, {1.0}}, {8, {0.3}}}, {{8, {0.6}}}, {}}, Better::Lower);
    const std::string script = plot_script({latency_of(rows)}, kThree, "/tmp/x.png");
    EXPECT_THAT(script, HasSubstr("8 0.3\n"));
    EXPECT_THAT(script, HasSubstr("title 'Open MPI'"));
    EXPECT_THAT(script, Not(HasSubstr("MPICH'")));
    EXPECT_THAT(script, Not(HasSubstr("\n0 1")));
}

class Process : public ::testing::Test {
  protected:
    Ending run(const std::string& shell, int seconds = 20) {
        return run_command({"/bin/sh", "-c", shell}, std::chrono::seconds(seconds), scratch_ / "log");
    }
    ScratchDirectory scratch_;
};

TEST_F(Process, SuccessKeepsBothOutputs) {
    const Ending ending = run("echo out; echo err >&2");
    EXPECT_TRUE(ending.succeeded);
    EXPECT_EQ(ending.output, "out\nerr\n");
}

TEST_F(Process, FailureGivesStatusOrSignal) {
    EXPECT_THAT(run("exit 3").reason, HasSubstr("exit status 3"));
    EXPECT_THAT(run("kill -SEGV $$").reason, HasSubstr("signal 11"));
}

TEST_F(Process, TheTimeOutEndsTheWholeGroup) {
    const Ending ending = run("trap '' TERM; sleep 60 & sleep 60; wait", 1);
    EXPECT_FALSE(ending.succeeded);
    EXPECT_THAT(ending.reason, HasSubstr("no end after 1 s"));
}

TEST_F(Process, AProgramThatDoesNotExistIsNamed) {
    try {
        run_command({"/no/such/program"}, std::chrono::seconds(5), scratch_ / "log");
        FAIL() << "no exception";
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/no/such/program"));
    }
}

}  // namespace
}  // namespace rb2::bench::compare
