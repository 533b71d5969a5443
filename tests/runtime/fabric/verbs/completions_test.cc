// What a completion tells: failures and what they name, immediates and messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/runtime/fabric/verbs/fixture.hpp"

namespace rb2::fabric::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Verbs, AWriteOutsideThePeersMemoryIsReportedAndEndsTheConnection) {
    ASSERT_EQ(sides_.a.write(source(0, 64), there()), Status::ok);
    ASSERT_EQ(sides_.a.write(source(0, 64), there(kWindowBytes)), Status::ok);
    ASSERT_EQ(sides_.a.write(source(0, 64), there(), Signal{7}), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto done = await(sides_.a, 2);
    ASSERT_EQ(done.size(), 2U) << "the one that failed, though silent, and the one behind it";
    EXPECT_EQ(done[0].ticket, 0U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_EQ(done[1].ticket, 7U);
    EXPECT_EQ(done[1].status, Status::peer_lost);
    EXPECT_EQ(sides_.a.write(source(0, 64), there()), Status::peer_lost);
    EXPECT_EQ(sides_.a.flush(), Status::peer_lost);
    const verbs::Device& device = verbs_device();
    EXPECT_THAT(sides_.a.failure(),
                AllOf(HasSubstr("WRITE of 64 bytes failed: remote access error"),
                      HasSubstr("device " + device.name() + " port 1"), HasSubstr("GID[1]=10.9.0.1 RoCEv2"),
                      HasSubstr("path 10.9.0.1 -> 10.9.0.1"), HasSubstr("queue pair"), HasSubstr("retries")));
}

TEST_F(Verbs, APeerThatIsGoneIsLost) {
    auto gone = std::make_unique<RawVerbsSides>();
    verbs::Options hasty;
    hasty.timeout = 8;  // a millisecond
    hasty.retries = 2;
    verbs::Device device(hasty);
    verbs::CompletionQueue queue(device);
    verbs::Endpoint endpoint(queue);
    auto peer = std::make_unique<verbs::Endpoint>(gone->queue_b);
    endpoint.connect(peer->card());
    peer->connect(endpoint.card());
    peer.reset();
    ASSERT_EQ(endpoint.write({}, {}, Signal{1}), Status::ok);
    ASSERT_EQ(endpoint.flush(), Status::ok);
    const auto done = await(endpoint, 1);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_THAT(endpoint.failure(), HasSubstr("transport retry counter exceeded"));
    EXPECT_TRUE(endpoint.settle());
}

TEST_F(Verbs, AnEndpointThatIsAbandonedTakesNothingAndGivesUpWhatItHasUnderWay) {
    verbs::Options hasty;
    hasty.timeout = 8;
    hasty.retries = 2;
    verbs::Device device(hasty);
    verbs::CompletionQueue queue(device);
    verbs::Endpoint endpoint(queue);
    verbs::Endpoint peer(sides_.queue_b);
    endpoint.connect(peer.card());
    peer.connect(endpoint.card());
    auto region = device.register_memory(sides_.memory_a.bytes);
    ASSERT_EQ(peer.write({}, {}, Signal{3}), Status::ok);
    peer.abandon();
    EXPECT_EQ(peer.flush(), Status::peer_lost);
    EXPECT_EQ(peer.write({}, {}), Status::peer_lost);
    EXPECT_THAT(peer.failure(), HasSubstr("given up here"));

    ASSERT_EQ(endpoint.write(sides_.memory_a.source(0, 64, region.key()), there(), Signal{1}), Status::ok);
    ASSERT_EQ(endpoint.flush(), Status::ok);
    const auto done = await(endpoint, 1);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_THAT(sides_.memory_b.bytes, testing::Each(std::byte{0}));
}

TEST_F(VerbsMessages, AMessageLongerThanItsReceiveBreaksTheConnection) {
    ASSERT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 10, region_b_.key()}, 5), Status::ok);
    ASSERT_EQ(sides_.a.send(source(0, 64), 0, Signal{9}), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto sent = await(sides_.a, 1);
    const auto received = await(sides_.b, 1);
    ASSERT_EQ(sent.size(), 1U);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(sent[0].status, Status::peer_lost);
    EXPECT_EQ(received[0].status, Status::peer_lost);
    EXPECT_EQ(received[0].ticket, 5U);
    EXPECT_EQ(sides_.memory_b.bytes[10], std::byte{0});
}

TEST_F(VerbsMessages, AnImmediateDoesNotUseUpAReceiveForGood) {
    ASSERT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 64, region_b_.key()}, 5), Status::ok);
    ASSERT_EQ(sides_.a.write_with_imm({}, {}, 77), Status::ok);
    ASSERT_EQ(sides_.a.send(source(0, 8), 1), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto done = await(sides_.b, 2);
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].imm, 77U);
    EXPECT_EQ(done[0].operation, Operation::imm_arrived);
    EXPECT_EQ(done[1].operation, Operation::received);
    EXPECT_EQ(done[1].ticket, 5U);
}

TEST_F(Verbs, AnEndpointIsForImmediatesOrForMessages) {
    EXPECT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 8, region_b_.key()}, 1),
              Status::invalid_argument);
    verbs::SharedReceives unshared(sides_.memory_b.bytes, 2);
    sides_.b.share(unshared);
    EXPECT_EQ(sides_.b.status(), Status::peer_lost) << "made without a group, it cannot share";
}

}  // namespace
}  // namespace rb2::fabric::test
