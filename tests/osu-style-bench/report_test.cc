#include "osu-style-bench/engine/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rb2::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Options quiet() {
    Options options;
    options.json_path = std::string("-");  // keeps add() from printing the table
    return options;
}

TEST(Report, LatencyHasTheColumnsOfOsu) {
    const Report report(kLatency, quiet(), 2);
    EXPECT_THAT(report.header(), StartsWith("# OSU-style MPI Latency Test v"));
    EXPECT_THAT(report.header(), EndsWith("# Size          Latency (us)\n"));
    EXPECT_EQ(report.line({8, {0.3149}}), "8                       0.31\n");
}

TEST(Report, BandwidthNamesItsWindow) {
    const Report report(kBandwidth, quiet(), 2);
    EXPECT_THAT(report.header(), HasSubstr("# [ window size: 64 ]\n"));
    EXPECT_THAT(report.header(), EndsWith("# Size      Bandwidth (MB/s)\n"));
}

TEST(Report, MessageRateHasTwoColumnsAndItsPairs) {
    const Report report(kMessageRate, quiet(), 6);
    EXPECT_THAT(report.columns(), ElementsAre("MB/s", "Messages/s"));
    EXPECT_THAT(report.header(), HasSubstr("# [ pairs: 3 ] [ window size: 64 ]\n"));
}

TEST(Report, DistributionAddsPercentiles) {
    Options options = quiet();
    options.distribution = true;
    const Report report(kLatency, options, 2);
    EXPECT_THAT(report.columns(), ElementsAre("Latency (us)", "p50 (us)", "p99 (us)", "p99.9 (us)"));
}

TEST(Report, QueueProgramSaysWhatIsPending) {
    Options options = quiet();
    options.queue_depth = 10;
    EXPECT_THAT(Report(kLatencyPosted, options, 2).header(), HasSubstr("# [ posted receives: 10 ]\n"));
    options.unexpected = true;
    EXPECT_THAT(Report(kLatencyPosted, options, 2).header(), HasSubstr("# [ unexpected messages: 10 ]\n"));
}

TEST(Report, RefusesARowOfTheWrongWidth) {
    Report report(kMessageRate, quiet(), 2);
    EXPECT_THROW(report.add({8, {1.0}}), std::logic_error);
}

TEST(Report, JsonHoldsWhatWasMeasuredAndHow) {
    Report report(kMessageRate, quiet(), 4);
    report.add({8, {1.5, 187500}});
    const nlohmann::json json = report.to_json();
    EXPECT_EQ(json.at("benchmark"), "osu_mbw_mr");
    EXPECT_EQ(json.at("ranks"), 4);
    EXPECT_EQ(json.at("key"), "Size");
    EXPECT_EQ(json.at("better"), "higher");
    EXPECT_EQ(json.at("options").at("window"), 64);
    EXPECT_EQ(json.at("rows").at(0).at("key"), 8);
    EXPECT_THAT(json.at("rows").at(0).at("values").get<std::vector<double>>(), ElementsAre(1.5, 187500));
}

TEST(WriteJson, WritesAFileThatReadsBack) {
    const auto path = std::filesystem::path(::testing::TempDir()) / "rb2_report_test.json";
    write_json({{"answer", 42}}, path);
    EXPECT_EQ(nlohmann::json::parse(std::ifstream(path)).at("answer"), 42);
    std::filesystem::remove(path);
}

TEST(WriteJson, NamesAFileItCannotWrite) {
    try {
        write_json({}, "/no/such/directory/file.json");
        FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/no/such/directory/file.json"));
    }
}

}  // namespace
}  // namespace rb2::bench
