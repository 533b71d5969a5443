// How two ranks come to have one connection, whoever calls, and whatever fails on the way.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>

#include "tests/runtime/child_process.hpp"
#include "tests/runtime/fabric/tcp/stranger.hpp"

namespace rb2::fabric::tcp::test {
namespace {

using std::chrono::milliseconds;

Options quick(std::uint32_t rank) {
    Options result = options(rank);
    result.timing.first_pause = milliseconds(1);
    result.timing.longest_pause = milliseconds(20);
    result.timing.call = milliseconds(200);
    return result;
}

/// Words of both sides, each a write to the other.
class Talk {
  public:
    explicit Talk(Link& link) : link_(link) {}

    void post() {
        ASSERT_EQ(link_.end_a().write(source(), region_b_.remote()), Status::ok);
        ASSERT_EQ(link_.end_b().write(source(), region_a_.remote()), Status::ok);
    }
    [[nodiscard]] bool heard() const { return word_a_ == kWord && word_b_ == kWord; }

  private:
    static constexpr std::uint64_t kWord = 0x1234'5678'9abc'def0;
    static Source source() { return {reinterpret_cast<const std::byte*>(&kWord), sizeof kWord}; }
    static std::span<std::byte> bytes(std::uint64_t& word) {
        return {reinterpret_cast<std::byte*>(&word), sizeof word};
    }

    Link& link_;
    std::uint64_t word_a_ = 0;
    std::uint64_t word_b_ = 0;
    Region region_a_ = link_.end_a().register_memory(bytes(word_a_));
    Region region_b_ = link_.end_b().register_memory(bytes(word_b_));
};

TEST(Contact, BothCallAtOnceAndOneConnectionStays) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::mt19937_64 random(seed);
        Link link(quick(0), quick(1));
        Talk talk(link);
        talk.post();
        static_cast<void>(link.end_a().flush());
        // The second call begins somewhere on the way of the first.
        for (std::uint64_t i = random() % 8; i != 0; --i) (random() % 2 == 0 ? link.a : link.b).progress();
        static_cast<void>(link.end_b().flush());
        ASSERT_TRUE(step_until({},
                               [&] {
                                   (random() % 2 == 0 ? link.a : link.b).progress();
                                   return talk.heard() && link.settled();
                               }))
            << seed << ": " << link.end_a().cause() << " / " << link.end_b().cause();
        for (int i = 0; i < 20; ++i) {
            link.a.progress();
            link.b.progress();
        }
        ASSERT_TRUE(link.end_a().connected() && link.end_b().connected()) << seed;
        ASSERT_EQ(link.a.next_lost(), nullptr);
        ASSERT_EQ(link.b.next_lost(), nullptr);
    }
}

/// Nobody listens there.
SocketAddress closed_door() {
    Context gone(options(9));
    return gone.addresses().front();
}

TEST(Contact, OnePassableDirectionIsEnoughForBothWhoeverItIs) {
    const SocketAddress nowhere = closed_door();
    for (const bool a_can_call : {true, false}) {
        Options options_a = quick(0);
        Options options_b = quick(1);
        (a_can_call ? options_b : options_a).find_peer = [&](std::uint32_t, std::string&) {
            return std::vector{Target{nowhere, {}}};
        };
        Link link(std::move(options_a), std::move(options_b));
        Talk talk(link);
        talk.post();
        static_cast<void>(link.end_a().flush());
        static_cast<void>(link.end_b().flush());
        EXPECT_TRUE(step_until({&link.a, &link.b}, [&] { return talk.heard(); }))
            << link.end_a().cause() << " / " << link.end_b().cause();
    }
}

TEST(Contact, TheNextAddressIsCalledWhenOneFails) {
    const SocketAddress nowhere = closed_door();
    Context b(quick(1));
    Options options_a = quick(0);
    options_a.find_peer = [&](std::uint32_t, std::string&) {
        return std::vector{Target{nowhere, {}}, Target{{{}, 1}, {}}, Target{b.addresses().front(), {}}};
    };
    Context a(options_a);
    ASSERT_EQ(a.endpoint(1).write({}, {}), Status::ok);
    static_cast<void>(a.endpoint(1).flush());
    EXPECT_TRUE(step_until({&a, &b}, [&] { return a.endpoint(1).connected(); }));
}

TEST(Contact, NoAddressThatAnswersIsALossThatNamesThemAll) {
    const SocketAddress nowhere = closed_door();
    Options options_a = quick(0);
    options_a.timing.rounds = 3;
    options_a.find_peer = [&](std::uint32_t, std::string&) {
        return std::vector{Target{nowhere, {}}, Target{nowhere, {}}};
    };
    Context a(options_a);
    Endpoint& endpoint = a.endpoint(1);
    ASSERT_EQ(endpoint.write({}, {}, Signal{1}), Status::ok);
    static_cast<void>(endpoint.flush());
    ASSERT_TRUE(step_until({&a}, [&] { return endpoint.status() == Status::peer_lost; }));
    EXPECT_NE(endpoint.cause().find(nowhere.text() + ": Connection refused; " + nowhere.text()),
              std::string::npos)
        << endpoint.cause();
    EXPECT_EQ(a.next_lost(), &endpoint);
}

TEST(Contact, APeerWithoutAddressesSaysWhy) {
    Options options_a = quick(0);
    options_a.find_peer = [](std::uint32_t, std::string& why) {
        why = "10.0.0.2 has no route";
        return std::vector<Target>{};
    };
    Context a(options_a);
    ASSERT_EQ(a.endpoint(1).write({}, {}), Status::ok);
    static_cast<void>(a.endpoint(1).flush());
    ASSERT_TRUE(step_until({&a}, [&] { return a.endpoint(1).status() == Status::peer_lost; }));
    EXPECT_EQ(a.endpoint(1).cause(), "rank 1: 10.0.0.2 has no route");
}

/// The peer takes the call but is busy elsewhere for longer than anybody waits for an answer.
TEST(Contact, APeerThatComputesIsCalledAgain) {
    Link link(quick(0), quick(1));
    Talk talk(link);
    talk.post();
    static_cast<void>(link.end_a().flush());
    ASSERT_FALSE(step_until(
        {&link.a}, [&] { return link.end_a().connected(); }, milliseconds(500)));
    EXPECT_EQ(link.end_a().status(), Status::ok);
    static_cast<void>(link.end_b().flush());
    EXPECT_TRUE(step_until({&link.a, &link.b}, [&] { return talk.heard(); }));
}

/// And for longer than all rounds would take if each gave it the same time.
TEST(Contact, APeerThatComputesForLongIsNotTakenForDead) {
    Options options_a = quick(0);
    options_a.timing.call = milliseconds(20);
    options_a.timing.rounds = 6;
    Link link(std::move(options_a), quick(1));
    Talk talk(link);
    talk.post();
    static_cast<void>(link.end_a().flush());
    ASSERT_FALSE(step_until(
        {&link.a}, [&] { return link.end_a().connected(); }, milliseconds(350)));
    EXPECT_EQ(link.end_a().status(), Status::ok) << link.end_a().cause();
    EXPECT_TRUE(step_until({&link.a, &link.b}, [&] { return link.end_a().connected(); }));
}

TEST(Contact, ACallWithNothingToSendLosesNothing) {
    const SocketAddress nowhere = closed_door();
    Options options_a = quick(0);
    options_a.timing.rounds = 2;
    options_a.find_peer = [&](std::uint32_t, std::string&) { return std::vector{Target{nowhere, {}}}; };
    Context a(options_a);
    Endpoint& endpoint = a.endpoint(1);
    endpoint.call();
    ASSERT_TRUE(endpoint.contacting());
    ASSERT_TRUE(step_until({&a}, [&] { return !endpoint.contacting(); }));
    EXPECT_EQ(endpoint.status(), Status::ok);
    EXPECT_NE(endpoint.cause().find("Connection refused"), std::string::npos) << endpoint.cause();
    // Now there is.
    ASSERT_EQ(endpoint.write({}, {}), Status::ok);
    static_cast<void>(endpoint.flush());
    EXPECT_TRUE(step_until({&a}, [&] { return endpoint.status() == Status::peer_lost; }));
}

/// From now on this process can open no file unless it closes one; one that it may close comes back.
int use_up_descriptors() {
    const int last = ::dup(0);
    const rlimit limit{static_cast<rlim_t>(last) + 1, static_cast<rlim_t>(last) + 1};
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? last : -1;
}

/// Rank 0 calls rank 1, and both have no descriptor but that of the call. Whether rank 0 comes through, if
/// one becomes free after it has been turned away for the first time; else the reason why not must be named.
int call_without_descriptors(bool becomes_free) {
    Options options_a = quick(0);
    if (!becomes_free) options_a.timing.rounds = 4;
    int notices = 0;
    Options options_b = quick(1);
    options_b.notice = [&notices](std::string_view) { ++notices; };
    Link link(std::move(options_a), std::move(options_b));
    Endpoint& caller = link.end_a();
    if (caller.write({}, {}) != Status::ok || caller.flush() != Status::would_block) return 1;
    const int last = use_up_descriptors();
    if (last < 0 || ::dup(0) >= 0) return 2;
    if (!step_until({&link.a, &link.b}, [&] { return notices != 0; })) return 3;
    if (becomes_free) {
        ::close(last);
        return step_until({&link.a, &link.b}, [&] { return caller.connected(); }) ? 0 : 4;
    }
    if (!step_until({&link.a, &link.b}, [&] { return caller.status() != Status::ok; })) return 5;
    return caller.cause().find("ulimit -n") != std::string::npos ? 0 : 6;
}

TEST(Contact, ARankWithoutDescriptorsTellsItsCallers) {
    EXPECT_EQ(rb2::test::in_child([] { return call_without_descriptors(false); }), 0);
    EXPECT_EQ(rb2::test::in_child([] { return call_without_descriptors(true); }), 0);
}

TEST(Contact, GreetingsArriveBeforeAnythingElse) {
    const auto greet = [](std::uint32_t own) {
        return [own](std::uint32_t rank) {
            Greeting greeting{};
            greeting[0] = static_cast<std::byte>(own);
            greeting[1] = static_cast<std::byte>(rank);
            return greeting;
        };
    };
    Options options_a = quick(0);
    Options options_b = quick(1);
    options_a.greet = greet(10);
    options_b.greet = greet(11);
    Link link(std::move(options_a), std::move(options_b));
    EXPECT_EQ(link.end_a().greeting(), nullptr);
    ASSERT_TRUE(link.connect());
    ASSERT_NE(link.end_a().greeting(), nullptr);
    EXPECT_EQ((*link.end_a().greeting())[0], std::byte{11});
    EXPECT_EQ((*link.end_a().greeting())[1], std::byte{0});
    EXPECT_EQ((*link.end_b().greeting())[0], std::byte{10});
    EXPECT_EQ((*link.end_b().greeting())[1], std::byte{1});
}

TEST(Contact, AConnectionThatEndsIsNamedAndNotMadeAgain) {
    auto link = std::make_unique<Link>(quick(0), quick(1));
    ASSERT_TRUE(link->connect());
    // A process that dies says no good-bye.
    Stranger second(link->b.addresses().front());
    Challenge challenge;
    Welcome welcome;
    ASSERT_TRUE(step_until({&link->b}, [&] { return second.hears(challenge); }));
    ASSERT_TRUE(second.say(hello(0, 1, challenge)));
    ASSERT_TRUE(step_until({&link->b}, [&] { return second.hears(welcome); }));
    EXPECT_EQ(welcome.reception, Reception::superseded);
    EXPECT_TRUE(link->end_b().connected());
}

TEST(Contact, AForkedChildThatEndsIsNotNoticed) {
    auto link = std::make_unique<Link>(quick(0), quick(1));
    ASSERT_TRUE(link->connect());
    ASSERT_EQ(rb2::test::in_child([&] {
                  link.reset();
                  return 0;
              }),
              0);
    Talk talk(*link);
    talk.post();
    static_cast<void>(link->end_a().flush());
    static_cast<void>(link->end_b().flush());
    EXPECT_TRUE(step_until({&link->a, &link->b}, [&] { return talk.heard(); })) << link->end_b().cause();
}

TEST(Contact, IPv6Too) {
    const SocketAddress address{IpAddress::parse("::1").value(), 0};
    Options options_a = quick(0);
    Options options_b = quick(1);
    options_a.listen_on = options_b.listen_on = {address};
    std::unique_ptr<Link> link;
    try {
        link = std::make_unique<Link>(std::move(options_a), std::move(options_b));
    } catch (const StartupError&) {
        GTEST_SKIP() << "no IPv6 loopback here";
    }
    EXPECT_TRUE(link->connect()) << link->end_a().cause();
}

TEST(Contact, SleepersAreWokenAndToldHowLong) {
    Link link(quick(0), quick(1));
    EXPECT_EQ(link.b.prepare_wait(), -1);
    pollfd waiting{link.b.wait_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 0), 0);
    Talk talk(link);
    talk.post();
    static_cast<void>(link.end_a().flush());
    ASSERT_GE(link.a.prepare_wait(), 0) << "a call under way has a deadline";
    // Neither polls without being woken.
    for (int i = 0; i < 1000 && !link.end_b().connected(); ++i) {
        for (Context* context : {&link.a, &link.b}) {
            pollfd sleeper{context->wait_fd(), POLLIN, 0};
            if (::poll(&sleeper, 1, std::min(context->prepare_wait(), 5)) > 0) context->progress();
        }
    }
    EXPECT_TRUE(link.end_b().connected());
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
