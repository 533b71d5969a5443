// Peers over TCP are met at first contact: what nobody talks to costs nothing, whoever begins, and whatever
// fails.

#include "runtime/network/tcp_network.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "runtime/network/fabrics.hpp"
#include "runtime/status.hpp"

namespace rb2::network::test {
namespace {

using std::chrono::seconds;

/// Networks of one process, which find each other's cards while the other lives.
class Job {
  public:
    explicit Job(std::uint32_t ranks, bool all_spare = false) : networks(ranks), spare(all_spare) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            networks[rank] = make_tcp_network(options(rank, ranks));
            cards.push_back(networks[rank]->card());
        }
    }
    Network& operator[](std::uint32_t rank) { return *networks[rank]; }

    /// Polls all that are there.
    void poll() {
        for (const auto& network : networks)
            if (network != nullptr) network->poll();
    }
    template <class Condition>
    bool poll_until(Condition condition, seconds limit = seconds(20)) {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end) return false;
            poll();
            std::this_thread::yield();
        }
        return true;
    }

    Options options(std::uint32_t rank, std::uint32_t ranks) {
        Options options;
        options.rank = rank;
        options.ranks = ranks;
        options.ring = ring::Parameters::messaging(64);
        options.choices.tcp_include = "lo";
        options.spare = spare;
        options.find_peer = [this](std::uint32_t peer) {
            ++fetches;
            if (refuses) throw StartupError("nobody knows it");
            return Peer{peer, "here", true, cards[peer]};
        };
        return options;
    }

    std::vector<std::unique_ptr<Network>> networks;
    std::vector<std::vector<std::byte>> cards;
    int fetches = 0;
    bool spare;
    bool refuses = false;  ///< to tell cards
};

/// Sends one record, of one byte, when there is room.
bool send(Channel& channel, std::uint8_t byte) {
    ring::Claim claim = channel.try_claim(1);
    if (!claim) return false;
    claim.payload[0] = static_cast<std::byte>(byte);
    return channel.commit(claim, 1, 0, 1) == Status::ok;
}

/// The bytes of the records that are there; `lost` is told of a lost peer.
std::vector<int> receive(Channel& channel, bool* lost = nullptr) {
    std::vector<int> bytes;
    const int records = channel.drain(
        64, {[](void* object, const ring::Record& record) {
                 static_cast<std::vector<int>*>(object)->push_back(std::to_integer<int>(record.payload[0]));
                 return ring::Verdict::consumed;
             },
             &bytes});
    if (lost != nullptr && records == kLost) *lost = true;
    return bytes;
}

TEST(TcpNetwork, SilentPeersCostNothing) {
    const auto bytes_of = [](std::uint32_t ranks) {
        Options options;
        options.ranks = ranks;
        options.ring = ring::Parameters::messaging(network_ring_slots(ranks));
        options.choices.tcp_include = "lo";
        const std::size_t before = ::mallinfo2().uordblks;
        const auto network = make_tcp_network(options);
        return ::mallinfo2().uordblks - before;
    };
    static_cast<void>(bytes_of(2));  // what is allocated once
    EXPECT_EQ(bytes_of(2), bytes_of(1'000'000));
}

TEST(TcpNetwork, OneCallsAndBothTalk) {
    Job job(3);
    job[0].reach(1);
    Channel& out = job[0].channel(1);
    EXPECT_FALSE(out.open());
    EXPECT_FALSE(send(out, 7)) << "before the peer has answered";
    ASSERT_TRUE(job.poll_until([&] { return job[1].called() && out.open(); }));
    EXPECT_EQ(job[1].take_callers(), std::vector<std::uint32_t>{0});
    EXPECT_FALSE(job[1].called());
    Channel& back = job[1].channel(0);
    ASSERT_TRUE(job.poll_until([&] { return back.open(); }));
    ASSERT_TRUE(send(out, 7));
    ASSERT_TRUE(send(back, 8));
    std::vector<int> there;
    std::vector<int> here;
    EXPECT_TRUE(job.poll_until([&] {
        for (const int byte : receive(back)) there.push_back(byte);
        for (const int byte : receive(out)) here.push_back(byte);
        return there == std::vector{7} && here == std::vector{8};
    }));
    EXPECT_EQ(job.fetches, 1) << "only who calls needs the other's card, and nobody that of rank 2";
    EXPECT_FALSE(job[2].called());
}

/// It looks seldom until somebody has called, and at once before it sleeps.
TEST(TcpNetwork, ASpareOneHearsWhoCalls) {
    Job job(2, true);
    job[0].reach(1);
    Channel& out = job[0].channel(1);
    EXPECT_FALSE(send(out, 7));
    static_cast<void>(job[1].arm());
    ASSERT_TRUE(job.poll_until([&] { return job[1].called() && out.open(); }));
}

TEST(TcpNetwork, BothCallAtOnce) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        std::mt19937_64 random(seed);
        Job job(2);
        job[0].reach(1);
        for (std::uint64_t i = random() % 8; i != 0; --i) job[random() % 2].poll();
        job[1].reach(0);
        Channel& a = job[0].channel(1);
        Channel& b = job[1].channel(0);
        bool lost = false;
        std::vector<int> got;
        bool sent_a = false;
        bool sent_b = false;
        ASSERT_TRUE(job.poll_until([&] {
            sent_a = sent_a || send(a, 1);
            sent_b = sent_b || send(b, 2);
            for (const int byte : receive(a, &lost)) got.push_back(byte);
            for (const int byte : receive(b, &lost)) got.push_back(byte);
            return lost || got.size() == 2;
        })) << seed;
        ASSERT_FALSE(lost) << seed << ": " << job[0].describe(1) << " / " << job[1].describe(0);
    }
}

TEST(TcpNetwork, ACallForASignOfLifeLosesNothingOneForAMessageDoes) {
    Job job(2);
    job.refuses = true;
    job[0].reach(1);
    Channel& channel = job[0].channel(1);
    bool lost = false;
    EXPECT_TRUE(job.poll_until([&] { return job.fetches == 1; }));
    for (int i = 0; i < 100; ++i) {
        job.poll();
        EXPECT_TRUE(receive(channel, &lost).empty());
    }
    EXPECT_FALSE(lost);
    EXPECT_FALSE(send(channel, 1));
    ASSERT_TRUE(job.poll_until([&] {
        static_cast<void>(receive(channel, &lost));
        return lost;
    }));
    EXPECT_EQ(job[0].describe(1), "tcp: rank 1: nobody knows it");
    EXPECT_EQ(job.fetches, 2);
}

TEST(TcpNetwork, AfterACallInVainThePeersOwnCallCounts) {
    Job job(2);
    job.refuses = true;
    job[0].reach(1);
    EXPECT_TRUE(job.poll_until([&] { return job.fetches == 1; }));
    job.refuses = false;
    job[1].reach(0);
    EXPECT_TRUE(job.poll_until([&] { return job[0].channel(1).open() && job[1].channel(0).open(); }));
}

TEST(TcpNetwork, ADeadPeerIsNamedAtFirstContact) {
    Job job(2);
    job.networks[1].reset();
    job[0].reach(1);
    Channel& channel = job[0].channel(1);
    EXPECT_FALSE(send(channel, 1));
    bool lost = false;
    ASSERT_TRUE(job.poll_until(
        [&] {
            static_cast<void>(receive(channel, &lost));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return lost;
        },
        seconds(50)));
    const std::string text = job[0].describe(1);
    EXPECT_TRUE(text.starts_with("tcp: rank 1: 127.0.0.1:") && text.ends_with(": Connection refused"))
        << text;
}

TEST(TcpNetwork, RingsOfAnotherSizeAreNoRings) {
    Job job(2);
    Options other = job.options(1, 2);
    other.ring = ring::Parameters::messaging(128);
    job.networks[1] = make_tcp_network(other);
    job[1].reach(0);
    Channel& channel = job[1].channel(0);
    bool lost = false;
    ASSERT_TRUE(job.poll_until([&] {
        static_cast<void>(receive(channel, &lost));
        return lost;
    }));
    const std::string text = job[1].describe(0);
    EXPECT_NE(text.find("it makes rings of 64 slots, this rank of 128"), std::string::npos) << text;
}

}  // namespace
}  // namespace rb2::network::test
