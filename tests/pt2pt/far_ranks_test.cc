// First contact with ranks on other nodes, as the transport makes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pt2pt/fabric_transport.hpp"
#include "runtime/network/first_contact.hpp"
#include "tests/runtime/mesh/fake_job.hpp"

namespace rb2::pt2pt {
namespace {

using mesh::FakeJob;
using testing::AllOf;
using testing::HasSubstr;

mesh::MeshOptions options() {
    mesh::MeshOptions options;
    options.ring_slots = 64;
    options.fabrics = network::FabricSet().with(network::Fabric::shm).with(network::Fabric::tcp);
    options.networks.tcp_include = "lo";
    return options;
}

[[noreturn]] void fail(const std::string& text, std::chrono::milliseconds /*patience*/) {
    throw std::runtime_error(text);
}

struct Rank {
    Rank(FakeJob& job, std::uint32_t rank)
        : session(job.join(rank)),
          mesh(mesh::Mesh::build(session, options())),
          transport(mesh, wait::Policy{}, fail) {}
    bootstrap::Session session;
    mesh::Mesh mesh;
    FabricTransport transport;
};

/// Rank 5 of 8, each on a node of its own; the others do not run.
struct LoneRank : testing::Test {
    LoneRank() {
        job.publish("rb2.card", job.card_of(0));
        five.emplace(job, 5);
    }
    std::string error_of_contact(int rank) {
        try {
            five->transport.connect(rank);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "no error";
    }
    FakeJob job{8, 1, 1};
    std::optional<Rank> five;
};

TEST_F(LoneRank, EndsTheJobWhenACardNeverComes) {
    EXPECT_THAT(error_of_contact(7), AllOf(HasSubstr("rank 7 on host7 cannot be reached"),
                                           HasSubstr("the card of rank 7 failed")));
}

TEST_F(LoneRank, EndsTheJobWhenACardIsOfAnotherVersion) {
    bootstrap::Card other = job.card_of(7);
    other.version = 77;
    job.publish("rb2.far", other);
    EXPECT_THAT(error_of_contact(7), AllOf(HasSubstr("rank 7 on host7 cannot be reached"),
                                           HasSubstr("rank 7 uses card version 77")));
}

/// Mostly the rank that is waited for calls.
TEST_F(LoneRank, LeavesTheCallToTheOtherForAWhile) {
    EXPECT_FALSE(five->transport.hidden(7));
    EXPECT_FALSE(five->transport.departed(7));
    std::this_thread::sleep_for(network::kAskAfter);
    EXPECT_TRUE(five->transport.hidden(7));
    EXPECT_FALSE(five->transport.hidden(6)) << "that one has not been missed yet";
    EXPECT_EQ(job.fetches(7), 0);
}

TEST(FarRanks, WhoIsCalledFetchesNothing) {
    FakeJob job(3, 1, 3);
    std::vector<std::unique_ptr<Rank>> ranks(3);
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        threads.emplace_back([&, rank] { ranks[rank] = std::make_unique<Rank>(job, rank); });
    for (std::thread& thread : threads) thread.join();
    FabricTransport& caller = ranks[1]->transport;
    FabricTransport& called = ranks[2]->transport;
    const auto before = ranks[2]->session.traffic().fetches;

    caller.connect(2);
    int met = -1;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (met < 0 && std::chrono::steady_clock::now() < end) {
        // Something to send is what a call waits for.
        static_cast<void>(caller.lane(2).sender().try_claim(1));
        static_cast<void>(caller.poll_fabrics());
        static_cast<void>(called.poll_fabrics());
        called.take_callers([&](int rank) { met = rank; });
    }
    EXPECT_EQ(met, 1);
    EXPECT_TRUE(called.lane(1).connected());
    EXPECT_EQ(ranks[2]->session.traffic().fetches, before);
    EXPECT_EQ(ranks[1]->session.traffic().fetches, 2U + 2U)
        << "own and rank 0's at start; card and addresses";
    EXPECT_EQ(job.fetches(1), 1) << "by itself";
}

}  // namespace
}  // namespace rb2::pt2pt
