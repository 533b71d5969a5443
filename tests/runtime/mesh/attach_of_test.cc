// A rank that finds another's memory gone says who has failed.

#include "runtime/mesh/attach_of.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

namespace rb2::mesh {
namespace {

bootstrap::Card rank_seven() {
    bootstrap::Card card;
    card.rank = 7;
    std::strcpy(card.host.host_name.data(), "node3");
    return card;
}

TEST(AttachOf, NamesTheRankThatHasFailed) {
    const auto attach = [] { return memory::Segment::attach("rb2-test-of-nobody"); };
    try {
        static_cast<void>(attach_of(rank_seven(), attach));
        FAIL();
    } catch (const StartupError& error) {
        EXPECT_STREQ(error.what(),
                     "rank 7 on node3 has failed while the job started; its own message says why");
    }
}

TEST(AttachOf, OtherErrorsStayWhatTheyAre) {
    const std::string name = "rb2-test-attach-" + std::to_string(::getpid());
    const auto made = memory::Segment::create(name, 4096);
    EXPECT_EQ(attach_of(rank_seven(), [&] { return memory::Segment::attach(name, 4096); }).bytes(), 4096U);
    try {
        static_cast<void>(attach_of(rank_seven(), [&] { return memory::Segment::attach(name, 8192); }));
        FAIL();
    } catch (const StartupError& error) {
        EXPECT_NE(std::string(error.what()).find("expected 8192"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace rb2::mesh
