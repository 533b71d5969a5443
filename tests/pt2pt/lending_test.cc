// Messages of a stream that leave from the user's memory, without a copy into the ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/pt2pt/network_job.hpp"

namespace rb2::pt2pt {
namespace {

using testing::kContext;
using testing::NetworkJob;
using testing::pattern;

constexpr std::size_t kLentBytes = 64U << 10;
constexpr network::DirectParameters kLends{.lent_from = 32U << 10};

/// Rank 0 streams to rank 1, from memory that is worth registering.
class Lending : public ::testing::Test {
  protected:
    explicit Lending(const fabric::fake::Options& options = {})
        : job_(kLends, options, 4096, {.far_chunk_bytes = (16U << 10) + 80}) {
        job_.registrar(0).all_earned = true;
    }

    /// Sent, not received.
    Request* send(std::span<const std::byte> message) { return job_[0].isend(message, 1, kContext, 7); }
    void expect(const std::vector<std::byte>& message) {
        std::vector<std::byte> got(message.size());
        ASSERT_EQ(job_[1].receive(got, 0, kContext, 7), Status::ok);
        EXPECT_EQ(got, message);
    }
    void finish(Request* request) {
        job_[0].wait(*request);
        job_[0].release(request);
    }
    /// From now on it is a stream.
    void begin() {
        const auto message = pattern(kLentBytes);
        Request* request = send(message);
        expect(message);
        finish(request);
        job_.endpoint(0).reset_counters();
        job_.registrar(0).pins = 0;
    }

    NetworkJob job_;
};

TEST_F(Lending, OnlyTheHeaderComesFromTheRing) {
    begin();
    const auto message = pattern(kLentBytes, 5);
    Request* request = send(message);
    EXPECT_EQ(job_.registrar(0).pins, 1);
    EXPECT_EQ(job_.endpoint(0).counters().writes, 3U) << "payload, header, tail word";
    EXPECT_EQ(job_.endpoint(0).counters().write_bytes, kLentBytes + 16 + 8);
    EXPECT_EQ(job_.endpoint(0).counters().doorbells, 1U);
    expect(message);
    finish(request);
    EXPECT_EQ(job_.registrar(0).living, 0) << "given back";
}

TEST_F(Lending, MemoryThatIsNotWorthItIsCopied) {
    begin();
    const auto small = pattern(20'000);
    Request* request = send(small);
    expect(small);
    finish(request);
    job_.registrar(0).all_earned = false;
    const auto message = pattern(kLentBytes);
    request = send(message);
    EXPECT_TRUE(request->complete()) << "the network needs nothing of it any more";
    expect(message);
    finish(request);
    EXPECT_EQ(job_.registrar(0).pins, 0);
}

TEST_F(Lending, WhatCannotBeRegisteredIsCopied) {
    begin();
    job_.registrar(0).fail = true;
    const auto message = pattern(kLentBytes, 3);
    Request* request = send(message);
    EXPECT_TRUE(request->complete());
    expect(message);
    finish(request);
}

class LateLending : public Lending {
  protected:
    LateLending() : Lending({.manual = true, .queue_length = 12}) {
        job_.transport(0).let_others_run = job_.transport(1).let_others_run = [this] {
            static_cast<void>(job_.link().step());
            job_.progress_all();
        };
    }
};

TEST_F(LateLending, TheMemoryIsTheUsersAgainWhenTheRequestIsComplete) {
    begin();
    const auto sent = pattern(kLentBytes, 9);
    auto memory = sent;
    Request* request = send(memory);
    job_[0].progress();
    EXPECT_FALSE(request->complete()) << "the fabric has yet to read it";
    finish(request);
    std::ranges::fill(memory, std::byte{0xee});
    expect(sent);
}

TEST_F(LateLending, ManyAtOnceThroughAShortQueue) {
    begin();
    constexpr std::size_t many = 60;
    std::vector<std::vector<std::byte>> messages;
    std::vector<Request*> requests;
    for (std::size_t i = 0; i < many; ++i)
        messages.push_back(pattern(kLentBytes - i * 500, static_cast<unsigned>(i)));
    for (const auto& message : messages) requests.push_back(send(message));
    for (const auto& message : messages) expect(message);
    for (Request* request : requests) finish(request);
    EXPECT_GT(job_.registrar(0).pins, static_cast<int>(many / 4));
    EXPECT_EQ(job_.registrar(0).living, 0);
}

}  // namespace
}  // namespace rb2::pt2pt
