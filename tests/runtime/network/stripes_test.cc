// Large writes over several connections to one peer: spread evenly, told of only when all have landed.

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

/// Memory that all connections of one side may use. Their keys agree because all links register the same
/// things in the same order.
class EverywhereRegistered final : public Pin {
  public:
    EverywhereRegistered(const std::array<Endpoint*, kConnections>& ends, std::span<std::byte> memory) {
        for (Endpoint* const end : ends) regions_.push_back(end->register_memory(memory));
        for (const auto& region : regions_) EXPECT_EQ(region.key(), regions_.front().key());
    }
    [[nodiscard]] fabric::Key key() const noexcept override { return regions_.front().key(); }
    [[nodiscard]] fabric::Remote remote() const noexcept override { return regions_.front().remote(); }

  private:
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
                    .own_key = region.key(),
                    .peer = peer.region.remote()};
        }

        std::array<Endpoint*, kConnections> ends;
        ring::BlockLayout layout = ring::block_layout<ring::mix::Rb2, ring::RingMemory>(kParameters);
        ring::RingMemory memory{layout};
        EverywhereRegistered region;
        EveryConnection registrar;
    };
    using Channel = ChannelOver<ring::mix::Rb2, Endpoint>;

    Stripes() {
        rb2::test::fill(7, source_);
        channel_.open_to(to_.region.remote(), {from_.ends[1], from_.ends[2]});
        transfer_ = channel_.prepare(source_);
        granted_ = to_.registrar.pin(target_, Access::peer_writes);
        transfer_->target = granted_->remote();
    }

    /// Everything that connection `number` has to do.
    void deliver(std::size_t number) { links_[number].deliver(); }
    int drain() {
        return channel_.drain(1,
                              {[](void*, const ring::Record&) { return ring::Verdict::consumed; }, nullptr});
    }

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
    while (!transfer_->done()) {
        ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
        for (std::size_t i = 0; i < kConnections; ++i) deliver(i);
        ASSERT_EQ(drain(), 0);
    }
    for (auto& link : links_) EXPECT_EQ(link.a().counters().writes, 12 / kConnections);
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, NothingIsToldBeforeTheSlowestConnectionIsThrough) {
    bool all_posted_early = false;
    for (int round = 0; round < 100 && !transfer_->done(); ++round) {
        ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
        if (transfer_->all_posted() && transfer_->in_flight != 0) {
            all_posted_early = true;
            EXPECT_FALSE(transfer_->may_be_told()) << "a record would overtake what other connections carry";
        }
        deliver(0);
        deliver(1);
        if (round % 4 == 3) deliver(2);
        ASSERT_EQ(drain(), 0);
    }
    EXPECT_TRUE(all_posted_early);
    EXPECT_TRUE(transfer_->may_be_told());
    EXPECT_EQ(source_, target_);
}

TEST_F(Stripes, OneConnectionThatBreaksIsALostPeer) {
    granted_.reset();  // the peer's memory is gone: the write on each connection fails
    ASSERT_EQ(channel_.advance(*transfer_), Status::ok);
    deliver(2);
    EXPECT_EQ(drain(), kLost);
}

}  // namespace
}  // namespace rb2::network
