// What leads a long message in a stream of such, and that nothing leads one on its own.

#include "runtime/fabric/tcp/packets.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp::test {
namespace {

TEST(Packets, AreWholeSegments) {
    EXPECT_EQ(packet_bytes(1448), 45U * 1448);
    EXPECT_EQ(packet_bytes(65'483), 65'483U);  // loopback
    EXPECT_EQ(packet_bytes(0), 0U);
}

TEST(Packets, OddBytesBeyondThemLeadIfTheyAreFew) {
    EXPECT_EQ(lead(2 * 65'160 + 488, 65'160), 488U);
    EXPECT_EQ(lead(65'160 + kLongestLead, 65'160), kLongestLead);
    EXPECT_EQ(lead(65'160 + kLongestLead + 1, 65'160), 0U);
    EXPECT_EQ(lead(65'160, 65'160), 0U);
    EXPECT_EQ(lead(488, 65'160), 0U);
    EXPECT_EQ(lead(100'000, 0), 0U);
}

thread_local std::vector<ssize_t> sent;  // what the kernel took with each call
thread_local int segment;                // of the connection

ssize_t noting_send(int fd, std::span<iovec> from) noexcept {
    socklen_t length = sizeof segment;
    ::getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, &length);
    const ssize_t count = kKernelIo.send(fd, from);
    if (count > 0) sent.push_back(count);
    return count;
}
const Io kNotingIo{noting_send, kKernelIo.receive, kKernelIo.available};

Options noting() {
    Options result = options(0);
    result.io = &kNotingIo;
    return result;
}

class Leading : public testing::Test {
  protected:
    static constexpr ssize_t kOdd = 100;
    static constexpr std::size_t kMost = std::size_t{1} << 20;

    /// Loopback's segments grow at first.
    void SetUp() override {
        ASSERT_TRUE(link_.connect());
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(link_.end_a().write({own_.data(), kMost / 2}, region_.remote()), Status::ok);
            static_cast<void>(link_.end_a().flush());
            ASSERT_TRUE(link_.settle());
        }
        std::ranges::fill(peer_, std::byte{});
        bytes_ = packet_bytes(static_cast<std::size_t>(segment)) + kOdd - sizeof(FrameHeader);
        ASSERT_LE(bytes_, kMost);
        answer();
    }

    void answer() {
        ASSERT_EQ(link_.end_b().write({}, {}), Status::ok);
        ASSERT_EQ(link_.end_b().flush(), Status::ok);
        ASSERT_TRUE(link_.settle());
    }

    /// What the kernel took for a message of a packet and kOdd bytes, header included.
    std::vector<ssize_t> calls() {
        sent.clear();
        EXPECT_EQ(link_.end_a().write({own_.data(), bytes_}, region_.remote()), Status::ok);
        EXPECT_EQ(link_.end_a().flush(), Status::ok);
        const std::vector<ssize_t> result = sent;
        EXPECT_TRUE(link_.settle());
        return result;
    }
    [[nodiscard]] ssize_t all() const { return static_cast<ssize_t>(bytes_ + sizeof(FrameHeader)); }

    Link link_{noting()};
    std::vector<std::byte> own_ = std::vector<std::byte>(kMost, std::byte{7});
    std::vector<std::byte> peer_ = std::vector<std::byte>(kMost);
    Region region_ = link_.end_b().register_memory(peer_);
    std::size_t bytes_ = 0;
};

TEST_F(Leading, TheOddBytesFromTheSecondMessageOfAStreamOn) {
    EXPECT_EQ(calls(), std::vector<ssize_t>{all()});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(calls(), (std::vector<ssize_t>{kOdd, all() - kOdd}));
    EXPECT_EQ(peer_[bytes_ - 1], std::byte{7});
    EXPECT_EQ(peer_[bytes_], std::byte{0});
}

TEST_F(Leading, NothingWhereThePeerAnswersEach) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(calls(), std::vector<ssize_t>{all()});
        answer();
    }
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
