// Pages as their ranks write them and as another process reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/state/job_pages.hpp"
#include "runtime/state/own_page.hpp"
#include "tests/runtime/state/views.hpp"

namespace rb2::state::test {
namespace {

class Pages : public testing::Test {
  protected:
    void TearDown() override {
        for (const int rank : {0, 1, 2}) memory::Segment::unlink_by_name(name(rank));
    }
    [[nodiscard]] std::string name(int rank) const { return prefix() + std::to_string(rank); }
    [[nodiscard]] static std::string prefix() { return "rb2-test-" + std::to_string(::getpid()) + "-state-"; }
    [[nodiscard]] static std::filesystem::path path(const std::string& name) { return "/dev/shm/" + name; }
};

TEST_F(Pages, NameHasThePrefixOfTheJobsSegments) {
    EXPECT_EQ(page_name(1000, "abc", 7), "rb2-1000-abc-state-7");
}

TEST_F(Pages, WhatARankWritesIsRead) {
    OwnPage own(name(1), 1, 3);
    own.reach(Phase::running);
    own.traffic()[2] = {1, 2, 3, 4};
    own.page().totals.single_copy_bytes = 9;
    Collectives* const calls = own.count_collectives(5);
    ASSERT_NE(calls, nullptr);
    calls->calls = 8;
    Standing standing = waiting(receive_from(2)).standing;
    own.stand(standing, false);
    own.falls_asleep();

    JobPages pages(prefix());
    EXPECT_EQ(pages.size(), 0);
    pages.find();
    EXPECT_EQ(pages.size(), 3);
    const std::vector<RankView> views = pages.view(3);
    EXPECT_FALSE(views[0].has_page);
    const RankView& view = views[1];
    ASSERT_TRUE(view.has_page);
    EXPECT_EQ(view.phase, Phase::running);
    EXPECT_EQ(view.pid, ::getpid());
    EXPECT_NE(view.process.letter, 0);
    EXPECT_TRUE(view.asleep);
    EXPECT_EQ(view.standing.waits[0].peer, 2);
    EXPECT_EQ(view.traffic.size(), 3U);
    EXPECT_EQ(view.traffic[2].received_messages, 3U);
    EXPECT_EQ(view.totals.single_copy_bytes, 9U);
    ASSERT_EQ(view.collectives.size(), 1U);
    EXPECT_EQ(view.collectives[0].communicator, 5U);
    EXPECT_EQ(view.collectives[0].calls, 8U);
    own.wakes_up();
    EXPECT_FALSE(pages.view(3)[1].asleep);
}

TEST_F(Pages, AskAndAnswer) {
    OwnPage own(name(0), 0, 1);
    JobPages pages(prefix());
    pages.find();
    EXPECT_FALSE(own.asked());
    pages.ask();
    EXPECT_TRUE(own.asked());
    EXPECT_FALSE(pages.all_answered());
    Standing standing;
    own.stand(standing, false);
    EXPECT_FALSE(pages.all_answered());
    own.stand(standing, true);
    EXPECT_TRUE(pages.all_answered());
    EXPECT_TRUE(pages.view(1)[0].answered);
    EXPECT_FALSE(own.asked());
    JobPages second(prefix());  // two who ask do not disturb each other
    second.find();
    second.ask();
    EXPECT_TRUE(own.asked());
    own.stand(standing, true);
    EXPECT_TRUE(pages.view(1)[0].answered);
    EXPECT_TRUE(second.view(1)[0].answered);
}

TEST_F(Pages, StayWhenTheRankGoes) {
    { OwnPage own(name(0), 0, 1); }
    EXPECT_TRUE(std::filesystem::exists(path(name(0))));
    const OwnPage again(name(0), 0, 1);  // a second program in the same place
    JobPages pages(prefix());
    pages.find();
    EXPECT_EQ(pages.size(), 1);
}

TEST_F(Pages, NobodyElseMayReadThem) {
    const OwnPage own(name(0), 0, 1);
    struct stat status {};
    ASSERT_EQ(::stat(path(name(0)).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Pages, WithoutANameThePageIsPrivate) {
    OwnPage own("", 0, 2);
    own.traffic()[1].sent_messages = 1;
    EXPECT_EQ(own.page().magic, Page::kMagic);
    JobPages pages(prefix());
    pages.find();
    EXPECT_EQ(pages.size(), 0);
}

TEST_F(Pages, TooManyCommunicatorsAreNotCounted) {
    OwnPage own("", 0, 1);
    for (std::uint32_t id = 0; id < Page::kCommunicators; ++id)
        ASSERT_NE(own.count_collectives(id), nullptr) << id;
    EXPECT_EQ(own.count_collectives(1000), nullptr);
    own.page().collectives[3].communicator = 0;
    EXPECT_NE(own.count_collectives(1000), nullptr);
}

/// What lies there under a page's name.
void write_file(const std::filesystem::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

TEST_F(Pages, WhatIsNoPageIsLeftOut) {
    write_file(path(name(0)), "");
    write_file(path(name(1)), std::string(100'000, 'x'));
    { const OwnPage own(name(2), 1, 3); }  // says that it is rank 1
    write_file(path(prefix() + "1x"), "");
    JobPages pages(prefix());
    pages.find();
    std::filesystem::remove(path(prefix() + "1x"));
    EXPECT_EQ(pages.size(), 0);
    for (const RankView& view : pages.view(3)) EXPECT_FALSE(view.has_page);
}

TEST_F(Pages, ATableThatIsCutShortIsLeftOut) {
    { const OwnPage own(name(0), 0, 200); }
    std::filesystem::resize_file(path(name(0)), Page::bytes(1));
    JobPages pages(prefix());
    pages.find();
    EXPECT_EQ(pages.size(), 0);
}

TEST_F(Pages, ARankStoppedInTheMiddleOfWritingDoesNotHoldTheReader) {
    OwnPage own(name(0), 0, 1);
    own.page().edition = 1;
    JobPages pages(prefix());
    pages.find();
    EXPECT_TRUE(pages.view(1)[0].has_page);
}

TEST_F(Pages, CountsOutOfRangeAreCut) {
    OwnPage own(name(0), 0, 1);
    own.page().standing.posted.listed = 1'000'000;
    JobPages pages(prefix());
    pages.find();
    EXPECT_EQ(pages.view(1)[0].standing.posted.listed, Standing::kListed);
}

TEST(Process, OwnAndNone) {
    EXPECT_EQ(look_at_process(::getpid()).letter, 'R');
    EXPECT_EQ(look_at_process(0x7fffffff).letter, 0);
}

}  // namespace
}  // namespace rb2::state::test
