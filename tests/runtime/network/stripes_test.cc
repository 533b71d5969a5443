// Large writes over several connections to one peer, some of them of another device: spread by how busy they
// are, told of only when all is in place, and taken over by the others when one breaks.

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "runtime/network/channel_over.hpp"
#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/content.hpp"

namespace rb2::network {
namespace {

using fabric::fake::Endpoint;
using Link = fabric::fake::LinkOf<Endpoint>;

constexpr std::size_t kConnections = 3;
constexpr ring::Parameters kParameters = ring::Parameters::messaging(256);
constexpr DirectParameters kDirect{.from = 1, .block_bytes = 1024, .depth = 6, .piece_blocks = 4};

/// Of the device of the rings two, and the last of another one: rail 1.
constexpr std::size_t kOther = 2;

/// Memory that all connections of one side may use. The keys of one device agree because its links register
/// the same things in the same order.
class EverywhereRegistered final : public Pin {
  public:
    EverywhereRegistered(const std::array<Endpoint*, kConnections>& ends, std::span<std::byte> memory) {
        for (Endpoint* const end : ends) regions_.push_back(end->register_memory(memory));
        EXPECT_EQ(regions_[0].key(), regions_[1].key());
        EXPECT_NE(regions_[0].key(), regions_[kOther].key());
    }
    [[nodiscard]] fabric::Key key(std::size_t rail) const noexcept override { return of(rail).key(); }
    [[nodiscard]] Place place() const noexcept override {
        return {of(0).remote().address, {of(0).key(), of(1).key()}};
    }
    [[nodiscard]] fabric::Remote block() const noexcept { return of(0).remote(); }

  private:
    [[nodiscard]] const fabric::fake::Region& of(std::size_t rail) const noexcept {
        return regions_[rail == 0 ? 0 : kOther];
    }
    std::vector<fabric::fake::Region> regions_;
};

class EveryConnection final : public Registrar {
  public:
    explicit EveryConnection(const std::array<Endpoint*, kConnections>& ends) : ends_(ends) {}
    std::unique_ptr<Pin> pin(std::span<const std::byte> memory, Access) noexcept override {
        auto* const data = const_cast<std::byte*>(memory.data());  // sources are only read
        return std::make_unique<EverywhereRegistered>(ends_, std::span(data, memory.size()));
    }

  private:
    std::array<Endpoint*, kConnections> ends_;
};

class Stripes : public testing::Test {
  protected:
    struct Side {
        explicit Side(const std::array<Endpoint*, kConnections>& connections)
            : ends(connections), region(ends, memory.bytes()), registrar(ends) {}
        ring::BlockPair blocks(const Side& peer) {
            return {.own = memory.bytes().data(),
                    .own_layout = layout,
                    .own_key = region.key(0),
                    .peer = peer.region.block()};
        }

        std::array<Endpoint*, kConnections> ends;
        std::array<std::byte, 8> other_things{};
        fabric::fake::Region first = ends[kOther]->register_memory(other_things);  // so keys differ
        ring::BlockLayout layout = ring::block_layout<ring::mix::Rb2, ring::RingMemory>(kParameters);
        ring::RingMemory memory{layout};
        EverywhereRegistered region;
        EveryConnection registrar;
    };
    using Channel = ChannelOver<ring::mix::Rb2, Endpoint>;

    Stripes() {
        rb2::test::fill(7, source_);
        channel_.open_to(to_.region.block(),
                         {{.endpoint = from_.ends[1], .own_number = 1, .peer_number = 11},
                          {.endpoint = from_.ends[kOther],
                           .own_rail = 1,
                           .peer_rail = 1,
                           .own_number = 2,
                           .peer_number = 12,
                           .scratch = {from_.other_things.data(), 1, from_.first.key()}}});
        transfer_ = channel_.prepare(source_);
        granted_ = to_.registrar.pin(target_, Access::peer_writes);
        transfer_->target = granted_->place();
    }

    /// Everything that connection `number` has to do.
    void deliver(std::size_t number) { links_[number].deliver(); }
    int drain() {
        return channel_.drain(1,
                              {[](void*, const ring::Record&) { return ring::Verdict::consumed; }, nullptr});
    }
    /// Everything on the connections named, until there is nothing more to do.
    void go_on(const std::vector<std::size_t>& connections) {
        for (int round = 0; round < 100 && !transfer_->done(); ++round) {
            ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
            for (const std::size_t i : connections) deliver(i);
            ASSERT_EQ(drain(), 0);
        }
    }
    [[nodiscard]] std::uint64_t writes(std::size_t number) { return links_[number].a().counters().writes; }
    [[nodiscard]] std::uint64_t reads(std::size_t number) { return links_[number].a().counters().reads; }

    std::array<Link, kConnections> links_{Link({.manual = true}), Link({.manual = true}),
                                          Link({.manual = true})};
    Side from_{{&links_[0].a(), &links_[1].a(), &links_[2].a()}};
    Side to_{{&links_[0].b(), &links_[1].b(), &links_[2].b()}};
    Channel channel_{*from_.ends[0], from_.registrar, from_.blocks(to_), kParameters, kParameters, kDirect};
    std::vector<std::byte> source_{std::size_t{12} << 10};
    std::vector<std::byte> target_{std::size_t{12} << 10};
    std::unique_ptr<Transfer> transfer_;
    std::unique_ptr<Pin> granted_;
};

TEST_F(Stripes, BlocksAreSpreadOverAllConnections) {
    go_on({0, 1, 2});
    ASSERT_TRUE(transfer_->may_be_told());
    for (std::size_t i = 0; i < kConnections; ++i) EXPECT_EQ(writes(i), 12 / kConnections);
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, ASlowConnectionGetsFewerBlocks) {
    for (int round = 0; round < 100 && !transfer_->done(); ++round) {
        ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
        deliver(0);
        deliver(1);
        if (transfer_->all_posted()) deliver(kOther);
        ASSERT_EQ(drain(), 0);
    }
    EXPECT_EQ(writes(kOther), 2U) << "as many as fit into the depth of 6 of three connections";
    EXPECT_EQ(writes(0) + writes(1), 10U);
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, NothingIsToldBeforeTheSlowestConnectionIsThrough) {
    go_on({0, 1});
    EXPECT_TRUE(transfer_->all_posted());
    EXPECT_FALSE(transfer_->may_be_told()) << "a record would overtake what other connections carry";
    go_on({0, 1, 2});
    EXPECT_TRUE(transfer_->may_be_told());
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, WhatAnotherDeviceHasTakenIsReadBackBeforeItIsToldOf) {
    go_on({0, 1});
    EXPECT_EQ(reads(kOther), 1U) << "behind its last block";
    EXPECT_EQ(reads(0) + reads(1), 0U) << "one device keeps the order of what it has completed";
    while (links_[kOther].a().pending() > 1) ASSERT_TRUE(links_[kOther].step());
    ASSERT_EQ(drain(), 0);
    EXPECT_EQ(transfer_->in_flight, 1U) << "all blocks are complete";
    EXPECT_FALSE(transfer_->may_be_told());
    deliver(kOther);
    ASSERT_EQ(drain(), 0);
    EXPECT_TRUE(transfer_->may_be_told());
}

TEST_F(Stripes, TheOthersTakeOverFromAConnectionThatBreaks) {
    for (const std::size_t broken : {std::size_t{1}, kOther}) {
        std::ranges::fill(target_, std::byte{});
        transfer_ = channel_.prepare(source_);
        transfer_->target = granted_->place();
        ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
        to_.ends[broken]->abandon();  // with blocks under way
        go_on({0, 1, 2});
        EXPECT_TRUE(transfer_->may_be_told());
        EXPECT_EQ(source_, target_);
        EXPECT_NE(channel_.broken() & (std::uint64_t{1} << (10 + broken)), 0U) << "as the peer counts";
    }
    EXPECT_EQ(channel_.broken(), (std::uint64_t{1} << 11) | (std::uint64_t{1} << 12));
    // What comes later has one connection left.
    const std::uint64_t before = writes(0);
    transfer_ = channel_.prepare(source_);
    transfer_->target = granted_->place();
    go_on({0, 1, 2});
    EXPECT_TRUE(transfer_->may_be_told());
    EXPECT_EQ(writes(0), before + 12);
}

TEST_F(Stripes, AConnectionThatBreaksBehindItsBlocksNeedsNoReading) {
    go_on({0, 1});
    while (links_[kOther].a().pending() > 1) ASSERT_TRUE(links_[kOther].step());
    to_.ends[kOther]->abandon();
    go_on({0, 1, 2});
    EXPECT_TRUE(transfer_->may_be_told());
    EXPECT_EQ(channel_.broken(), std::uint64_t{1} << 12) << "the peer closes it, which orders as well";
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, WhatThePeerSaysIsBrokenTakesAndCarriesNothingMore) {
    ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
    channel_.close(std::uint64_t{1} << 2);  // as this side counts
    EXPECT_EQ(to_.ends[kOther]->write({source_.data(), 8, 0}, {}, fabric::kSilent), Status::ok);
    EXPECT_EQ(to_.ends[kOther]->flush(), Status::ok);
    deliver(kOther);
    EXPECT_EQ(to_.ends[kOther]->flush(), Status::peer_lost) << "it can be written from there no more";
    go_on({0, 1, 2});
    EXPECT_TRUE(transfer_->may_be_told());
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, WithoutTheConnectionOfTheRingsThePeerIsLost) {
    ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
    to_.ends[0]->abandon();
    deliver(0);
    EXPECT_EQ(drain(), kLost);
}

}  // namespace
}  // namespace rb2::network
