// Ranks on other nodes of the launcher: what is fetched of them, and when; what is found out at first
// contact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/mesh/fabric_report.hpp"
#include "runtime/mesh/mesh.hpp"
#include "tests/runtime/mesh/fake_job.hpp"

namespace rb2::mesh {
namespace {

using network::Fabric;
using network::FabricSet;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kFarCard = "rb2.far";
constexpr std::uint32_t kShmOnly = FabricSet().with(Fabric::shm).bits();

MeshOptions options() {
    MeshOptions options;
    options.ring_slots = 64;
    options.mesh_bytes = 2U << 20;
    options.fabrics = FabricSet().with(Fabric::shm).with(Fabric::tcp);
    options.networks.tcp_include = "lo";
    return options;
}

/// Rank 5 of 1000, each on a node of its own; rank 0 has published its card, and nobody else is there yet.
class OneOfMany : public testing::Test {
  protected:
    static constexpr std::uint32_t kRank = 5;
    static constexpr std::uint32_t kRanks = 1000;

    Mesh start() {
        job.publish("rb2.card", first);
        return Mesh::build(session, options());
    }
    std::string error_at_contact(std::uint32_t rank) {
        Mesh mesh = start();
        try {
            mesh.meet(rank);
        } catch (const StartupError& error) {
            return error.what();
        }
        return "no error";
    }

    FakeJob job{kRanks, 1, 1};
    bootstrap::Card first = job.card_of(0);
    bootstrap::Session session = job.join(kRank);
};

TEST_F(OneOfMany, StartsWithItsOwnCardAndRankZeros) {
    const Mesh mesh = start();
    EXPECT_EQ(session.traffic().fetches, 2U);
    EXPECT_EQ(session.traffic().fences, 2U);
    EXPECT_EQ(job.collected(), sizeof(bootstrap::Card)) << "that of rank 0";
    for (std::uint32_t rank = 1; rank < kRanks; ++rank)
        ASSERT_EQ(job.fetches(rank), rank == kRank ? 1 : 0) << rank;
}

TEST_F(OneOfMany, FetchesACardWhenItMeetsTheRankAndOnlyThen) {
    Mesh mesh = start();
    job.publish(kFarCard, job.card_of(7));
    EXPECT_EQ(mesh.network(7), nullptr);
    EXPECT_EQ(mesh.meet(7).name(), "tcp");
    EXPECT_EQ(mesh.network(7), &mesh.meet(7));
    EXPECT_EQ(job.fetches(7), 1);
    EXPECT_EQ(job.fetches(8), 0);
    EXPECT_STREQ(mesh.host_name(7), "host7");
}

TEST_F(OneOfMany, NamesHostsOfRanksItHasNotMetWithoutAsking) {
    const Mesh mesh = start();
    EXPECT_STREQ(mesh.host_name(9), "host9");
    EXPECT_EQ(job.fetches(9), 0);
}

TEST_F(OneOfMany, WhoHasCalledNeedsNoCard) {
    Mesh mesh = start();
    mesh.called_over(7, *mesh.networks().at(Fabric::tcp));
    EXPECT_EQ(mesh.meet(7).name(), "tcp");
    EXPECT_EQ(job.fetches(7), 0);
}

TEST_F(OneOfMany, AnotherVersionIsNamedAtContact) {
    bootstrap::Card other = job.card_of(7);
    other.version = 77;
    job.publish(kFarCard, other);
    EXPECT_THAT(error_at_contact(7), AllOf(HasSubstr("rank 7 uses card version 77"), HasSubstr("same rb2")));
}

TEST_F(OneOfMany, WhatIsNoCardIsNamedAtContact) {
    bootstrap::Card other = job.card_of(7);
    other.magic = 1;
    job.publish(kFarCard, other);
    EXPECT_THAT(error_at_contact(7), HasSubstr("rank 7 published something that is not an rb2 card"));
}

TEST_F(OneOfMany, NoFabricInCommonIsNamedAtContact) {
    bootstrap::Card other = job.card_of(7);
    other.fabrics = kShmOnly;
    job.publish(kFarCard, other);
    EXPECT_THAT(error_at_contact(7),
                AllOf(HasSubstr("rank 5 on"), HasSubstr("rank 7 on host7 (fabrics: shm)"),
                      HasSubstr("have no fabric in common")));
}

TEST_F(OneOfMany, ACardThatNeverComesIsAnErrorOfThatRankOnly) {
    EXPECT_THAT(error_at_contact(7), HasSubstr("reading the card of rank 7 failed"));
}

TEST_F(OneOfMany, WithRankZeroItIsFoundOutAtStart) {
    first.fabrics = kShmOnly;
    EXPECT_THROW(start(), StartupError);
    first = job.card_of(0);
    first.version = 77;
    EXPECT_THROW(start(), StartupError);
}

/// Each rank of a job starts in a thread of its own.
std::vector<Mesh> start_all(std::vector<bootstrap::Session>& sessions) {
    std::vector<std::unique_ptr<Mesh>> built(sessions.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sessions.size(); ++i)
        threads.emplace_back(
            [&, i] { built[i] = std::make_unique<Mesh>(Mesh::build(sessions[i], options())); });
    for (std::thread& thread : threads) thread.join();
    std::vector<Mesh> meshes;
    for (const auto& mesh : built) meshes.push_back(std::move(*mesh));
    return meshes;
}

TEST(FarRanks, OfOneMachineShareNoMemoryAcrossNodes) {
    FakeJob job(4, 2, 4);
    std::vector<bootstrap::Session> sessions;
    for (std::uint32_t rank = 0; rank < 4; ++rank) sessions.push_back(job.join(rank));
    std::vector<Mesh> meshes = start_all(sessions);
    EXPECT_EQ(meshes[1].neighbours(), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(meshes[3].neighbours(), (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(meshes[3].meet(0).name(), "tcp");
    EXPECT_FALSE(meshes[0].job_crowded());
    // The first rank of a node fetches its node's cards and rank 0's, the others only the first's.
    EXPECT_EQ(sessions[0].traffic().fetches, 2U);
    EXPECT_EQ(sessions[1].traffic().fetches, 1U);
    EXPECT_EQ(sessions[2].traffic().fetches, 3U);
}

TEST(FarRanks, AreInTheReportOfAllFabrics) {
    FakeJob job(4, 2, 4);
    std::vector<bootstrap::Session> sessions;
    for (std::uint32_t rank = 0; rank < 4; ++rank) sessions.push_back(job.join(rank));
    std::vector<Mesh> meshes = start_all(sessions);
    EXPECT_THAT(describe_fabrics(meshes[0].all_cards()),
                AllOf(HasSubstr("shm: 2 pairs, as ranks 0 and 1"),
                      HasSubstr("tcp: 4 pairs, as ranks 0 and 2: no shm: one machine, but two nodes")));
}

}  // namespace
}  // namespace rb2::mesh
