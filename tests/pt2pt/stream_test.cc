// Batches of a stream whose messages and receives are not all of the plain sort: nothing is lost, nothing
// overtakes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "datatype/layout.hpp"
#include "runtime/state/own_page.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;

constexpr int kTag = 7;
constexpr std::size_t kBytes = 24;
constexpr std::size_t kMessages = 32;  // a batch of them

/// Rank 0 sends to rank 1, which has posted a receive for each message.
class Batch : public ::testing::Test {
  protected:
    void post(std::size_t receives) {
        for (std::size_t i = 0; i < receives; ++i) {
            buffers_.emplace_back(kBytes);
            receives_.push_back(job_[1].ireceive(buffers_.back(), 0, kContext, kTag));
        }
    }
    void send(std::size_t messages, std::size_t bytes = kBytes, int tag = kTag) {
        for (std::size_t i = 0; i < messages; ++i)
            ASSERT_EQ(job_[0].send(numbered(sent_++, bytes), 1, kContext, tag), Status::ok);
    }
    static std::vector<std::byte> numbered(std::size_t number, std::size_t bytes) {
        return std::vector<std::byte>(bytes, static_cast<std::byte>(number + 1));
    }
    /// One look at the ring.
    void take() { job_[1].wait(*receives_.front()); }
    [[nodiscard]] std::size_t complete() const {
        std::size_t result = 0;
        for (const Request* receive : receives_) result += receive->complete() ? 1 : 0;
        return result;
    }
    /// Receive `index` has message `number`, of `bytes`.
    void expect(std::size_t index, std::size_t number, std::size_t bytes = kBytes,
                Status status = Status::ok) {
        const Request& receive = *receives_[index];
        ASSERT_TRUE(receive.complete()) << index;
        EXPECT_EQ(receive.info().source, 0);
        EXPECT_EQ(receive.info().tag, kTag);
        EXPECT_EQ(receive.info().bytes, bytes);
        EXPECT_EQ(receive.info().status, status) << index;
        const std::size_t got = std::min(bytes, buffers_[index].size());
        EXPECT_EQ(std::vector(buffers_[index].begin(), buffers_[index].begin() + std::ptrdiff_t(got)),
                  numbered(number, got))
            << index;
    }
    void wait_all() {
        for (const Request* receive : receives_) job_[1].wait(*receive);
    }
    void release_all() {
        for (Request* receive : receives_) job_[1].release(receive);
        receives_.clear();
        buffers_.clear();
    }
    void TearDown() override { release_all(); }

    InProcessJob job_{2};
    std::vector<std::vector<std::byte>> buffers_;
    std::vector<Request*> receives_;
    std::size_t sent_ = 0;
};

TEST_F(Batch, IsTakenAtOnceAndInOrder) {
    post(kMessages + 8);
    send(kMessages + 8);
    take();
    EXPECT_EQ(complete(), kMessages);
    wait_all();
    for (std::size_t i = 0; i < kMessages + 8; ++i) expect(i, i);
}

TEST_F(Batch, IsCountedAsItsMessages) {
    state::OwnPage page{"", 1, 2};
    job_[1].show_in(page);
    post(kMessages);
    send(kMessages);
    wait_all();
    EXPECT_EQ(page.traffic()[0].received_messages, kMessages);
    EXPECT_EQ(page.traffic()[0].received_bytes, kMessages * kBytes);
}

TEST_F(Batch, OfShorterMessagesThanTheReceives) {
    post(kMessages);
    send(kMessages / 2, 1);
    send(kMessages / 2, 0);
    wait_all();
    for (std::size_t i = 0; i < kMessages; ++i) expect(i, i, i < kMessages / 2 ? 1 : 0);
}

TEST_F(Batch, OfWhichOneMessageHasAnotherTag) {
    post(kMessages);
    send(5);
    send(1, kBytes, kTag + 1);
    send(kMessages - 5);
    wait_all();
    for (std::size_t i = 0; i < kMessages; ++i) expect(i, i < 5 ? i : i + 1);
    std::vector<std::byte> other(kBytes);
    ASSERT_EQ(job_[1].receive(other, 0, kContext, kTag + 1), Status::ok);
    EXPECT_EQ(other, numbered(5, kBytes));
}

TEST_F(Batch, OfWhichOneMessageIsTooLongForItsReceive) {
    post(kMessages);
    send(5);
    send(1, kBytes + 8);
    send(kMessages - 6);
    wait_all();
    for (std::size_t i = 0; i < kMessages; ++i)
        expect(i, i, i == 5 ? kBytes + 8 : kBytes, i == 5 ? Status::truncated : Status::ok);
}

TEST_F(Batch, OfWhichOneMessageComesInParts) {
    post(5);
    buffers_.emplace_back(100'000);
    receives_.push_back(job_[1].ireceive(buffers_.back(), 0, kContext, kTag));
    post(kMessages - 6);
    send(5);
    const std::vector<std::byte> data = numbered(sent_++, 100'000);
    Request* const long_send = job_[0].isend(data, 1, kContext, kTag);
    std::vector<Request*> sends;
    std::vector<std::vector<std::byte>> later;
    later.reserve(kMessages);
    for (; sent_ < kMessages; ++sent_) later.push_back(numbered(sent_, kBytes));
    for (const auto& message : later) sends.push_back(job_[0].isend(message, 1, kContext, kTag));
    wait_all();
    for (std::size_t i = 0; i < kMessages; ++i) expect(i, i, i == 5 ? 100'000 : kBytes);
    for (Request* send : sends) job_[0].release(send);
    job_[0].wait(*long_send);
    job_[0].release(long_send);
}

TEST_F(Batch, OfWhichOneReceiveHasBeenLetGo) {
    post(kMessages);
    job_[1].release(receives_[5]);
    receives_[5] = &Request::immediate();
    send(kMessages);
    wait_all();
    EXPECT_EQ(buffers_[5], numbered(5, kBytes)) << "it gets its message all the same";
    for (const std::size_t i : {std::size_t{4}, std::size_t{6}, kMessages - 1}) expect(i, i);
}

TEST_F(Batch, OfWhichOneReceiveHasGaps) {
    post(5);
    const auto byte = datatype::TypeMap::basic({1, 1, 1, datatype::Representation::bytes});
    const auto every_other = datatype::Layout::make(*datatype::TypeMap::resized(0, 2, byte));
    std::vector<std::byte> spread(2 * kBytes);
    Request* const gaps =
        job_[1].ireceive(Scatter{spread.data(), every_other.get(), kBytes}, 0, kContext, kTag);
    post(kMessages - 6);
    send(kMessages);
    wait_all();
    ASSERT_TRUE(gaps->complete());
    for (std::size_t i = 0; i < 2 * kBytes; ++i)
        EXPECT_EQ(spread[i], i % 2 == 0 ? numbered(5, 1)[0] : std::byte{0}) << i;
    job_[1].release(gaps);
    expect(4, 4);
    expect(5, 6);
}

TEST_F(Batch, MayEndWithTheLap) {
    for (int lap = 0; lap < 20; ++lap) {
        post(kMessages + 3);
        send(kMessages + 3);
        wait_all();
        for (std::size_t i = 0; i < kMessages + 3; ++i) expect(i, sent_ - kMessages - 3 + i);
        release_all();
    }
}

}  // namespace
}  // namespace rb2::pt2pt
