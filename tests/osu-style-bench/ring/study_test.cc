// What surrounds the measurements: sizes of rings, names, the page and the comparison with the paper.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "osu-style-bench/compare/process.hpp"
#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/shape.hpp"
#include "osu-style-bench/ring/study/bare.hpp"
#include "osu-style-bench/ring/study/page.hpp"

namespace rb2::bench::study {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Shape, ThresholdsCountMessages) {
    const auto one = slots_of({}, 1, 64);
    EXPECT_EQ(one.slots, 128U);
    EXPECT_EQ(one.alpha, 32U);
    EXPECT_EQ(one.beta, 16U);
    EXPECT_EQ(one.gamma, 32U);
    const auto five = slots_of({}, 5, 16);
    EXPECT_EQ(five.slots, 1024U) << "640, rounded up";
    EXPECT_EQ(five.alpha, 256U) << "a quarter of the ring, as 32 of 128";
}

TEST(Shape, ARingIsCutToItsMostBytes) {
    const auto cut = slots_of({.most_bytes = 64 * 1024}, 1000, 64);
    EXPECT_EQ(cut.slots, 1024U);
    EXPECT_EQ(cut.gamma, 256U);
    EXPECT_EQ(slots_of({.most_bytes = 64}, 1, 64).slots, 8U) << "no ring has fewer";
}

TEST(Shape, EveryParameterSetIsOneTheRingsAccept) {
    for (const std::uint64_t messages : {2U, 8U, 100U, 4096U}) {
        for (const std::uint64_t slots : {1U, 2U, 5U, 1025U, 70000U}) {
            const RingShape shape{.messages = messages, .alpha = messages / 2, .beta = 1, .gamma = 1};
            EXPECT_NO_THROW(rb2::ring::validate(slots_of(shape, slots, 64), true))
                << messages << " " << slots;
        }
    }
}

TEST(Cut, RecordsAddUpToTheMessage) {
    for (const std::size_t bytes : {1, 99, 100, 101, 1000, 1001}) {
        const Cut cut(bytes, 100);
        std::size_t sum = 0;
        for (std::uint64_t i = 0; i < cut.records(); ++i) {
            EXPECT_GT(cut.size_of(i), 0U);
            EXPECT_LE(cut.size_of(i), 100U);
            sum += cut.size_of(i);
        }
        EXPECT_EQ(sum, bytes);
    }
}

TEST(Memory, IsZeroedAndAligned) {
    for (const Pages pages : {Pages::normal, Pages::huge}) {
        const Memory memory(10'000, pages, std::nullopt);
        EXPECT_EQ(memory.bytes().size(), 10'000U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 4096, 0U);
        for (const std::byte byte : memory.bytes()) ASSERT_EQ(byte, std::byte{0});
    }
    EXPECT_THROW(Memory(4096, Pages::huge, memory_nodes()), std::invalid_argument);
    EXPECT_NO_THROW(Memory(4096, Pages::huge, 0));
}

TEST(Subjects, GroupsAndNamesAreFoundOnceEach) {
    EXPECT_EQ(find_subjects({"rb2", "table1", "rb2"}).size(), 6U);
    EXPECT_EQ(find_subjects({"table2"}).size(), 20U);
    EXPECT_EQ(find_subjects({"all"}).size(), all_subjects().size());
    try {
        static_cast<void>(find_subjects({"farms"}));
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("unknown mix 'farms'; there are: rb2 "));
    }
}

TEST(Subjects, WhatStoresIntoThePeerIsRefusedOnACard) {
    const Subject& in_place = *find_subjects({"rb2-in-place"}).front();
    EXPECT_FALSE(in_place.runs(Fabric::costed, Load::stream));
    EXPECT_TRUE(in_place.runs(Fabric::shm, Load::flow));
    EXPECT_FALSE(find_subjects({"push+wt"}).front()->runs(Fabric::shm, Load::flow));
    Job job;
    job.messages = 1;
    job.slot_bytes = 17;
    EXPECT_THROW(static_cast<void>(in_place.run(job)), std::invalid_argument);
    job.slot_bytes = 0;
    job.fabric = Fabric::costed;
    EXPECT_THROW(static_cast<void>(in_place.run(job)), std::invalid_argument);
}

/// An experiment of two sizes whose figures are made up.
class StudyTest : public testing::Test {
  protected:
    StudyTest() {
        for (const char* const name : {"rb2", "mvapich", "farm", "farm-twice", "socksdirect", "l5"}) {
            experiment_.series.push_back({name, find_subjects({name}).front(), {}, 0});
        }
        const std::vector<Summary> row(experiment_.series.size(), {.messages_per_second = 1e6,
                                                                   .mean_us = 3,
                                                                   .p999_us = 9,
                                                                   .p999_quarter_us = 7,
                                                                   .p999_three_quarters_us = 12});
        taken_.figures = {{row, row}, {row, row}};
    }
    Summary& rb2_figures(std::size_t bench) { return taken_.figures[bench][0][0]; }

    Experiment experiment_{.id = "fig5-6",
                           .title = "A title",
                           .x_label = "Message (bytes)",
                           .keys = {64, 4096},
                           .benches = {&find_bench("throughput"), &find_bench("latency")},
                           .metrics = {{Metric::gigabits}, {Metric::mean_us}}};
    Taken taken_{&experiment_, {}};
};

TEST_F(StudyTest, TablesHaveARowForEachSize) {
    rb2_figures(0).messages_per_second = 50e6;
    const std::string text = section_of(taken_, "x.png");
    EXPECT_THAT(text, HasSubstr("### A title\n\n![A title](x.png)"));
    EXPECT_THAT(text, HasSubstr("| Message (bytes) | rb2 | mvapich |"));
    EXPECT_THAT(text, HasSubstr("| 64 | 25.6 | 0.51 |"));
    EXPECT_THAT(text, HasSubstr("| 4096 | 32.8 | 32.8 |"));
}

TEST_F(StudyTest, TablesWithoutDiagramsHaveARowForEachSeries) {
    experiment_.draws = false;
    EXPECT_THAT(section_of(taken_, ""), HasSubstr("| rb2 | 0.51 | 32.8 | 3.00 | 3.00 |"));
}

TEST_F(StudyTest, DiagramsHaveACurveForEachSeries) {
    const auto panels = panels_of(taken_);
    ASSERT_EQ(panels.size(), 2U);
    EXPECT_EQ(panels[1].y_label, "mean round trip (us)");
    ASSERT_EQ(panels[0].curves.size(), 6U);
    EXPECT_EQ(panels[0].curves[0].points.size(), 2U);
}

TEST_F(StudyTest, AClaimHoldsOrNotByTheFigures) {
    EXPECT_THAT(section_of(compare_with_papers({taken_}, 1)),
                HasSubstr("RB² over l5 | 2.5 to 7.5 | 1.0 | **no** |"));
    rb2_figures(0).messages_per_second = 3e6;
    EXPECT_THAT(section_of(compare_with_papers({taken_}, 1)),
                HasSubstr("RB² over l5 | 2.5 to 7.5 | 3.0 | yes |"));
}

TEST_F(StudyTest, ATailIsWorseOnlyAboveMostRoundsOfTheRival) {
    experiment_.id = "tails";
    rb2_figures(0).p999_us = 12;
    EXPECT_THAT(section_of(compare_with_papers({taken_}, 1)),
                HasSubstr("| comparable or lower | 12.00 and 9.00 (7.00 to 12.00) | yes |"));
    rb2_figures(0).p999_us = 12.1;
    EXPECT_THAT(section_of(compare_with_papers({taken_}, 1)),
                HasSubstr("12.10 and 9.00 (7.00 to 12.00) | **no** |"));
}

TEST_F(StudyTest, TheBareRingIsHeldAgainstTheBareQueue) {
    EXPECT_THAT(section_of(compare_with_papers({}, 0.79)),
                HasSubstr("64-byte slots | 0.8 | 0.79 | **no** |"));
    EXPECT_THAT(section_of(compare_with_papers({}, 0.8)), HasSubstr("64-byte slots | 0.8 | 0.80 | yes |"));
    const BareRing bare = measure_bare_ring(1);  // throws if a record is lost
    EXPECT_GT(bare.queue, 0);
    EXPECT_GT(bare.ring, 0);
    EXPECT_GT(bare.part, 0);
}

TEST_F(StudyTest, OnlyTheGeneratedPartOfAPageIsReplaced) {
    const compare::ScratchDirectory scratch;
    const std::filesystem::path page = scratch / "page.md";
    std::ofstream(page) << "before\n<!-- generated: begin -->\nold\n<!-- generated: end -->\nafter\n";
    replace_generated(page, "new\n");
    std::ifstream file(page);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(text, "before\n<!-- generated: begin -->\n\nnew\n<!-- generated: end -->\nafter\n");
    std::ofstream(page) << "no marks\n";
    EXPECT_THROW(replace_generated(page, "new\n"), std::runtime_error);
    EXPECT_THROW(replace_generated(scratch / "none.md", "new\n"), std::runtime_error);
}

TEST(Experiments, EveryOneHasMetricsForItsBenches) {
    for (const bool quick : {false, true}) {
        for (const Experiment& experiment : all_experiments({.quick = quick, .costs = {}})) {
            EXPECT_EQ(experiment.benches.size(), experiment.metrics.size()) << experiment.id;
            EXPECT_FALSE(experiment.series.empty() || experiment.keys.empty()) << experiment.id;
            for (const Series& series : experiment.series) {
                EXPECT_TRUE(series.subject->runs(series.job.fabric, experiment.benches.front()->load))
                    << experiment.id << " " << series.label;
            }
        }
    }
}

}  // namespace
}  // namespace rb2::bench::study
