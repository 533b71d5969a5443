// Whoever is not of this job, and peers of it that have gone mad: dropped, with few words, and nobody waits.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/fabric/tcp/stranger.hpp"

namespace rb2::fabric::tcp::test {
namespace {

using std::chrono::milliseconds;

class Hostile : public testing::Test {
  protected:
    static Options quick(std::uint32_t rank) {
        Options result = options(rank);
        result.timing.stranger = milliseconds(100);
        result.timing.first_pause = milliseconds(1);
        return result;
    }
    Options listening() {
        Options result = quick(1);
        result.notice = [this](std::string_view line) { lines_.emplace_back(line); };
        return result;
    }
    template <class Condition>
    bool step(Condition condition) {
        return step_until({&link_.a, &link_.b}, condition);
    }
    /// Rank 0 writes a word to rank 1 and sees it there: the job goes on.
    bool works() {
        const std::uint64_t word = ++value_;
        if (link_.end_a().write({reinterpret_cast<const std::byte*>(&word), 8}, region_.remote()) !=
            Status::ok)
            return false;
        static_cast<void>(link_.end_a().flush());
        return step([&] { return word_ == word; });
    }

    std::vector<std::string> lines_;
    Link link_{quick(0), listening()};
    SocketAddress door_ = link_.b.addresses().front();
    std::uint64_t value_ = 0;
    std::uint64_t word_ = 0;
    Region region_ = link_.end_b().register_memory({reinterpret_cast<std::byte*>(&word_), sizeof word_});
};

TEST_F(Hostile, GarbageIsThrownOutAtOnceWithOneLine) {
    const std::string request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    for (int i = 0; i < 20; ++i) {
        Stranger stranger(door_);
        ASSERT_TRUE(stranger.say(request.data(), request.size()));
        ASSERT_TRUE(step([&] { return stranger.thrown_out(); }));
    }
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("127.0.0.1:"), std::string::npos) << lines_[0];
    EXPECT_NE(lines_[0].find("does not speak"), std::string::npos) << lines_[0];
    EXPECT_EQ(link_.b.strangers(), 20U);
    EXPECT_TRUE(works());
}

TEST_F(Hostile, SilenceIsThrownOutInTime) {
    Stranger stranger(door_);
    ASSERT_TRUE(step([&] { return link_.b.half_open() == 1; }));
    ASSERT_TRUE(step([&] { return stranger.thrown_out(); }));
    EXPECT_EQ(link_.b.half_open(), 0U);
    EXPECT_TRUE(works());
}

TEST_F(Hostile, AByteNowAndThenDoesNotBuyTime) {
    Stranger stranger(door_);
    Challenge challenge;
    ASSERT_TRUE(step([&] { return stranger.hears(challenge); }));
    const Hello words = hello(0, 1, challenge);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&words);
    std::size_t said = 0;
    Clock::time_point next = Clock::now();
    ASSERT_TRUE(step([&] {
        if (Clock::now() >= next && said + 1 < sizeof words) {
            static_cast<void>(stranger.say(bytes + said++, 1));
            next += milliseconds(20);
        }
        return stranger.thrown_out();
    }));
    EXPECT_LT(said, sizeof words - 1);
    EXPECT_TRUE(works());
}

TEST_F(Hostile, APortScanLeavesNothingBehind) {
    for (int i = 0; i < 100; ++i) Stranger(door_).hang_up();
    ASSERT_TRUE(works());
    EXPECT_TRUE(step([&] { return link_.b.half_open() == 0; }));
}

TEST_F(Hostile, AnotherSecretIsRefused) {
    Stranger stranger(door_);
    Challenge challenge;
    ASSERT_TRUE(step([&] { return stranger.hears(challenge); }));
    ASSERT_TRUE(stranger.say(hello(0, 1, challenge, secret(2))));
    ASSERT_TRUE(step([&] { return stranger.thrown_out(); }));
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("secret"), std::string::npos) << lines_[0];
    EXPECT_FALSE(link_.end_b().connected());
}

TEST_F(Hostile, AReplayedHelloDoesNotFitTheNextChallenge) {
    Challenge challenge;
    Hello recorded;
    {
        Stranger peer(door_);
        ASSERT_TRUE(step([&] { return peer.hears(challenge); }));
        recorded = hello(7, 1, challenge);
        ASSERT_TRUE(peer.say(recorded));
        Welcome welcome;
        ASSERT_TRUE(step([&] { return peer.hears(welcome); }));
        EXPECT_EQ(welcome.reception, Reception::accepted);
    }
    Stranger replay(door_);
    ASSERT_TRUE(step([&] { return replay.hears(challenge); }));
    ASSERT_TRUE(replay.say(recorded));
    ASSERT_TRUE(step([&] { return replay.thrown_out(); }));
    EXPECT_FALSE(link_.b.endpoint(7).connected());
}

TEST_F(Hostile, APeerThatLooksForAnotherRankIsRefused) {
    Stranger peer(door_);
    Challenge challenge;
    ASSERT_TRUE(step([&] { return peer.hears(challenge); }));
    ASSERT_TRUE(peer.say(hello(7, 2, challenge)));
    EXPECT_TRUE(step([&] { return peer.thrown_out(); }));
}

TEST_F(Hostile, NothingIsReadBeforeTheConfirmAndItsLackIsNoLoss) {
    {
        Stranger peer(door_);
        Challenge challenge;
        Welcome welcome;
        ASSERT_TRUE(step([&] { return peer.hears(challenge); }));
        ASSERT_TRUE(peer.say(hello(0, 1, challenge)));
        ASSERT_TRUE(step([&] { return peer.hears(welcome); }));
        // Instead of the confirm, a frame.
        ASSERT_TRUE(peer.say(FrameHeader::make(FrameKind::write, 8, region_.remote(), 0)));
        ASSERT_TRUE(step([&] { return peer.thrown_out(); }));
    }
    EXPECT_EQ(link_.end_b().status(), Status::ok);
    EXPECT_TRUE(works());
}

TEST_F(Hostile, AMadPeerLosesItsOwnConnectionOnly) {
    Stranger peer(door_);
    Challenge challenge;
    Welcome welcome;
    ASSERT_TRUE(step([&] { return peer.hears(challenge); }));
    ASSERT_TRUE(peer.say(hello(7, 1, challenge)));
    ASSERT_TRUE(step([&] { return peer.hears(welcome); }));
    ASSERT_TRUE(peer.say(Confirm{}));
    ASSERT_TRUE(step([&] { return link_.b.endpoint(7).connected(); }));
    // The memory is registered, but for another peer.
    word_ = 0;
    ASSERT_TRUE(peer.say(FrameHeader::make(FrameKind::write, 8, region_.remote(), 0)));
    ASSERT_TRUE(peer.say(~std::uint64_t{0}));
    FrameHeader answer;
    ASSERT_TRUE(step([&] { return peer.hears(answer); }));
    EXPECT_EQ(answer.kind(), FrameKind::fault);
    EXPECT_EQ(static_cast<FaultReason>(answer.value), FaultReason::outside_memory);
    EXPECT_EQ(word_, 0U);
    EXPECT_EQ(link_.b.endpoint(7).status(), Status::peer_lost);
    EXPECT_TRUE(works());
}

TEST_F(Hostile, AFloodKeepsWithinTheTableAndTheJobGoesOn) {
    std::vector<std::unique_ptr<Stranger>> flood;
    std::size_t most = 0;
    // More than the table, all silent, and they come again when they are thrown out.
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 100; ++i) flood.push_back(std::make_unique<Stranger>(door_));
        ASSERT_TRUE(works()) << round;
        most = std::max(most, link_.b.half_open());
        if (flood.size() > 400) flood.erase(flood.begin(), flood.begin() + 100);
    }
    EXPECT_LE(most, options(0).half_open);
    EXPECT_LE(lines_.size(), 2U);

    // Somebody of the job comes for the first time.
    Options late = quick(5);
    late.find_peer = [this](std::uint32_t, std::string&) { return std::vector{Target{door_, {}}}; };
    Context newcomer(late);
    ASSERT_EQ(newcomer.endpoint(1).write({}, {}), Status::ok);
    static_cast<void>(newcomer.endpoint(1).flush());
    EXPECT_TRUE(step_until({&newcomer, &link_.a, &link_.b}, [&] {
        flood.push_back(std::make_unique<Stranger>(door_));
        if (flood.size() > 400) flood.erase(flood.begin());
        return newcomer.endpoint(1).connected() || newcomer.endpoint(1).status() != Status::ok;
    }));
    EXPECT_TRUE(newcomer.endpoint(1).connected()) << newcomer.endpoint(1).cause();
}

TEST_F(Hostile, ACallerFindsOutAboutAnImpostor) {
    Options caller = quick(3);
    caller.secret = secret(9);
    caller.timing.rounds = 2;
    caller.find_peer = [this](std::uint32_t, std::string&) { return std::vector{Target{door_, {}}}; };
    Context context(caller);
    ASSERT_EQ(context.endpoint(1).write({}, {}, Signal{4}), Status::ok);
    EXPECT_EQ(context.endpoint(1).flush(), Status::would_block);
    ASSERT_TRUE(step_until({&context, &link_.b}, [&] { return context.endpoint(1).status() != Status::ok; }));
    EXPECT_NE(context.endpoint(1).cause().find(door_.text()), std::string::npos)
        << context.endpoint(1).cause();
    std::array<Completion, 4> done;
    ASSERT_GE(context.endpoint(1).poll(done), 1U);
    EXPECT_EQ(done[0].ticket, 4U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
