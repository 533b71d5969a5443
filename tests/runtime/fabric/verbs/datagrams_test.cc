// Words without a connection: who hears them, and what happens to those that nobody has room for.
#include "runtime/fabric/verbs/datagrams.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/runtime/fabric/verbs/fixture.hpp"

namespace rb2::fabric::test {
namespace {

class VerbsDatagrams : public testing::Test {
  protected:
    Status say(const verbs::Datagrams& to, std::uint64_t word) {
        return from_.send(verbs_device().address(), to.number(), std::as_bytes(std::span(&word, 1)));
    }
    /// Says it once there is room for it.
    void say_patiently(const verbs::Datagrams& to, std::uint64_t word) {
        ASSERT_TRUE(eventually([&] {
            senders_.dispatch();
            return say(to, word) == Status::ok;
        }));
    }
    static std::vector<std::uint64_t> hear(verbs::Datagrams& at) {
        std::vector<std::uint64_t> words;
        at.take([&](std::span<const std::byte> bytes) {
            ASSERT_EQ(bytes.size(), sizeof words[0]);
            std::memcpy(&words.emplace_back(), bytes.data(), bytes.size());
        });
        return words;
    }

    verbs::CompletionQueue senders_{verbs_device()};
    verbs::CompletionQueue listeners_{verbs_device()};
    verbs::Datagrams from_{senders_, 77};
};

TEST_F(VerbsDatagrams, AreHeardByWhoHasTheKey) {
    verbs::CompletionQueue strangers(verbs_device());
    verbs::Datagrams at(listeners_, 77);
    verbs::Datagrams stranger(strangers, 78);
    ASSERT_EQ(say(stranger, 1), Status::ok);
    ASSERT_EQ(say(at, 2), Status::ok);
    ASSERT_TRUE(eventually([&] { return listeners_.dispatch() != 0; }));
    EXPECT_FALSE(listeners_.arm()) << "something lies there: no time to sleep";
    EXPECT_EQ(hear(at), std::vector<std::uint64_t>{2});
    EXPECT_TRUE(listeners_.arm());
    strangers.dispatch();
    EXPECT_FALSE(stranger.arrived());
    const std::vector<std::byte> long_word(verbs::Datagrams::kMostBytes + 1);
    EXPECT_EQ(from_.send(verbs_device().address(), at.number(), long_word), Status::invalid_argument);
    EXPECT_EQ(from_.send({}, at.number(), {}), Status::invalid_argument) << "an address without a GID";
}

TEST_F(VerbsDatagrams, WhoNeverLooksLosesThemAndHearsLaterOnes) {
    verbs::Datagrams at(listeners_, 77);
    for (std::uint64_t word = 0; word < 300; ++word) say_patiently(at, word);
    // Those that found no receive are gone; what came first is heard first.
    std::vector<std::uint64_t> words;
    eventually(
        [&] {
            while (listeners_.dispatch() != 0) continue;
            const auto some = hear(at);
            words.insert(words.end(), some.begin(), some.end());
            return false;
        },
        std::chrono::milliseconds(200));
    ASSERT_GE(words.size(), 64U);
    EXPECT_LT(words.size(), 300U);
    EXPECT_EQ(words[63], 63U);
    say_patiently(at, 1000);
    ASSERT_TRUE(eventually([&] { return listeners_.dispatch() != 0; }));
    EXPECT_EQ(hear(at), std::vector<std::uint64_t>{1000});
}

TEST_F(VerbsDatagrams, GoWhileSomeLieThere) {
    const std::uint64_t before = listeners_.reserved();
    {
        verbs::Datagrams at(listeners_, 77);
        for (int i = 0; i < 8; ++i) ASSERT_EQ(say(at, 5), Status::ok);
        ASSERT_TRUE(eventually([&] { return listeners_.dispatch() != 0; }));
    }
    EXPECT_EQ(listeners_.reserved(), before);
    EXPECT_TRUE(listeners_.arm()) << "none of them is kept";
}

}  // namespace
}  // namespace rb2::fabric::test
