#include "stat/screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stat/jobs.hpp"
#include "tests/runtime/state/views.hpp"

namespace rb2::jobstat {
namespace {

using state::RankView;
using state::test::receive_from;
using state::test::silent;
using state::test::waiting;
using testing::HasSubstr;
using testing::Not;

/// Two seconds apart: rank 0 has sent 200 messages of 10 bytes to rank 1 between, rank 1 waits.
state::Looks two_looks() {
    RankView sender = silent();
    sender.traffic = {{}, {100, 1000, 0, 0}};
    sender.fabrics = {state::Fabric::self, state::Fabric::shm};
    RankView receiver = waiting(receive_from(0));
    receiver.traffic = {{0, 0, 100, 1000}, {}};
    receiver.fabrics = {state::Fabric::shm, state::Fabric::self};
    receiver.standing.posted.count = 7;
    state::Looks looks{{sender, receiver}, {sender, receiver}};
    looks.now[0].traffic[1] = {300, 3000, 0, 0};
    looks.now[1].totals.waited_ns = 500'000'000;
    for (RankView& rank : looks.now) rank.taken_ns += 2'000'000'000;
    return looks;
}

TEST(Rates, BetweenTwoLooks) {
    const state::Looks looks = two_looks();
    const Rates found = rates(looks.before[0], looks.now[0]);
    EXPECT_DOUBLE_EQ(found.sent_messages, 100);
    EXPECT_DOUBLE_EQ(found.sent_bytes, 1000);
    EXPECT_DOUBLE_EQ(found.received_messages, 0);
    EXPECT_DOUBLE_EQ(rates(looks.before[1], looks.now[1]).waiting, 0.25);
    EXPECT_EQ(rates(RankView{}, looks.now[0]).sent_messages, 0);
    EXPECT_EQ(rates(looks.now[0], looks.now[0]).sent_messages, 0);
}

TEST(AsText, ALineForEachRank) {
    const std::string text = as_text(two_looks(), {.matrix = false});
    EXPECT_THAT(text, HasSubstr("2 ranks; rates over 2.00 s"));
    EXPECT_THAT(text,
                testing::ContainsRegex("0 +4711 +runs +300 +2.93 KiB +100 +1000 B/s +0 +0 B +- +- +0 %"));
    EXPECT_THAT(text, testing::ContainsRegex("1 +4711 +waits +0 .* 7 +0 +25 %"));
    EXPECT_THAT(text, HasSubstr("eager 300 (2.93 KiB)"));
    EXPECT_THAT(text, Not(HasSubstr("from row")));
}

TEST(AsText, Matrix) {
    state::Looks looks = two_looks();
    looks.now.push_back({});  // a rank without a page
    looks.before.push_back({});
    for (std::size_t rank = 0; rank < 2; ++rank) looks.now[rank].traffic.push_back({});
    const std::string text = as_text(looks, {.matrix = true});
    EXPECT_THAT(text, testing::ContainsRegex("0 +0 +300 +0\n +1 +0 +0 +0\n +2 +- +- +-\n"));
    EXPECT_THAT(text, HasSubstr("no MPI"));
}

TEST(AsJson, IsJsonWithTheSameNumbers) {
    const auto parsed = nlohmann::json::parse(as_json(two_looks()));
    EXPECT_EQ(parsed["ranks"][0]["sent"]["messages"], 300);
    EXPECT_EQ(parsed["ranks"][0]["peers"][0]["rank"], 1);
    EXPECT_EQ(parsed["ranks"][0]["rates"]["sent_bytes"], 1000.0);
    EXPECT_TRUE(parsed["ranks"][0]["posted"].is_null());
    EXPECT_EQ(parsed["ranks"][1]["posted"], 7);
    EXPECT_EQ(parsed["ranks"][1]["state"], "waits");
    EXPECT_THAT(parsed["ranks"][1]["wait"].get<std::string>(), HasSubstr("receive from rank 0"));
    EXPECT_EQ(parsed["protocols"]["eager"]["bytes"], 3000);
    EXPECT_EQ(parsed["fabrics"]["shm"]["messages"], 300);
}

TEST(ChooseJob, NoneOneAndMany) {
    const Job own{"a-", {::getpid()}, 0};
    EXPECT_THROW((void)choose_job({}, std::nullopt), std::runtime_error);
    EXPECT_EQ(choose_job({own}, std::nullopt).page_prefix, "a-");
    EXPECT_EQ(choose_job({own}, ::getpid()).page_prefix, "a-");
    EXPECT_EQ(choose_job({own}, ::getppid()).page_prefix, "a-");  // whoever started it
    EXPECT_THROW((void)choose_job({own, own}, std::nullopt), std::runtime_error);
}

TEST(ChooseJob, AProcessThatHasNothingToDoWithIt) {
    const Job own{"a-", {::getpid()}, 0};
    try {
        (void)choose_job({own}, 0x3fffffff);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "process 1073741823 does not exist");
    }
    const Job other{"b-", {0x3fffffff}, 0};
    try {
        (void)choose_job({other}, ::getpid());
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("is neither rb2run nor a rank of a job"));
    }
}

}  // namespace
}  // namespace rb2::jobstat
