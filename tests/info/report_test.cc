// What is printed of a report that is known.

#include "info/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rb2::info::test {
namespace {

using ::testing::HasSubstr;

Report some_report() {
    using memory::critical_size::Work;
    Report report;
    report.machine.host = "a\xff";  // not UTF-8
    report.machine.numa_nodes = 2;
    report.fabrics = {{"shm", true, "single copy allowed"}, {"rdma device x0", false, "port 1: 1: DOWN"}};
    report.settings = {{"RB2_A", "bytes", "5", "environment", "", "a size"},
                       {"RB2_B", "0 or 1", "7", "environment", "RB2_B=7 is not 0 or 1", "a switch"}};
    report.direct_writes = {{"verbs on x0", 65'536, "measured"},
                            {"verbs on x1", memory::critical_size::Crossing::kNever, "measured"}};
    memory::critical_size::Result result;
    result.curves.of(Work::copy, {true, false}) = {{4096, 500}, {2U << 20, 200'000}};
    result.curves.of(Work::add, {true, false}) = {{4096, 5000}, {2U << 20, 20'000}};
    result.crossings.of[0] = {65'536, memory::critical_size::Crossing::kNever};
    report.critical_sizes.push_back({"x0", result});
    return report;
}

TEST(Report, TextSaysAvailabilitySourcesRefusalsAndCrossings) {
    const std::string text = as_text(some_report());
    EXPECT_THAT(text, HasSubstr("rdma device x0       not available  port 1: 1: DOWN"));
    EXPECT_THAT(text, HasSubstr("verbs on x0          from 65536 bytes   measured"));
    EXPECT_THAT(text, HasSubstr("verbs on x1          never              measured"));
    EXPECT_THAT(text, HasSubstr("REFUSED: RB2_B=7 is not 0 or 1"));
    EXPECT_THAT(text, HasSubstr("4 KiB         0.50         5.00            -"));
    EXPECT_THAT(text, HasSubstr("resident pages                 64 KiB                    never"));
}

TEST(Report, JsonHasTheSame) {
    const auto all = nlohmann::json::parse(as_json(some_report()));
    EXPECT_EQ(all["machine"]["numa_nodes"], 2);
    EXPECT_EQ(all["fabrics"][1]["available"], false);
    EXPECT_EQ(all["settings"][1]["error"], "RB2_B=7 is not 0 or 1");
    EXPECT_FALSE(all["settings"][0].contains("error"));
    EXPECT_EQ(all["direct_writes"][0]["from_bytes"], 65'536);
    const auto& buffer = all["critical_sizes"][0]["buffers"][0];
    EXPECT_EQ(buffer["register_from_bytes"], 65'536);
    EXPECT_TRUE(buffer["register_and_deregister_from_bytes"].is_null());
    EXPECT_EQ(buffer["copy_ns"][0][1], 500);
}

TEST(Report, EverySettingIsListedWithItsSource) {
    ::setenv("RB2_REGISTRATION_CACHE", "off", 1);
    bool found = false;
    for (const SettingNow& setting : settings_now()) {
        EXPECT_EQ(setting.error, "");
        if (setting.variable != "RB2_REGISTRATION_CACHE") continue;
        found = true;
        EXPECT_EQ(setting.value, "off");
        EXPECT_EQ(setting.source, "environment");
    }
    EXPECT_TRUE(found);
    ::setenv("RB2_REGISTRATION_CACHE", "maybe", 1);
    for (const SettingNow& setting : settings_now())
        EXPECT_EQ(setting.error.empty(), setting.variable != "RB2_REGISTRATION_CACHE");
    ::unsetenv("RB2_REGISTRATION_CACHE");
}

}  // namespace
}  // namespace rb2::info::test
