// Activities: advanced by whatever makes progress, until they are over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pt2pt/in_process.hpp"

namespace {

using namespace rb2::pt2pt;
using rb2::Status;
using rb2::pt2pt::testing::InProcessJob;
using rb2::pt2pt::testing::pattern;
using rb2::pt2pt::testing::TestEngine;

constexpr std::uint32_t kOtherContext = 4;
constexpr int kTag = 7;

/// Passes what comes from one rank on to another, once.
class Relay : public Activity {
  public:
    Relay(TestEngine& engine, Request* whole, int from, int to, std::size_t bytes)
        : engine_(engine), whole_(whole), to_(to), data_(bytes) {
        part_ = engine_.ireceive(data_, from, kOtherContext, kTag);
        TestEngine::waits_for(*whole_, part_);
    }

    int advance() override {
        ++advanced;
        if (!part_->complete()) return 0;
        engine_.release(part_);
        if (sending_) {
            engine_.complete(*whole_, Status::ok);
            return kOver;
        }
        sending_ = true;
        part_ = engine_.isend(data_, to_, kOtherContext, kTag);
        TestEngine::waits_for(*whole_, part_);
        return 1;
    }

    int advanced = 0;

  private:
    TestEngine& engine_;
    Request* whole_;
    int to_;
    std::vector<std::byte> data_;
    Request* part_;
    bool sending_ = false;
};

TEST(Activity, GoesOnWhileItsRankWaitsForSomethingElse) {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{200'000}}) {
        InProcessJob job(3);
        Request* const whole = job[1].open_request();
        auto relay = std::make_shared<Relay>(job[1], whole, 0, 2, bytes);
        const std::weak_ptr<Relay> alive = relay;
        job[1].run(std::move(relay));
        const auto sent = pattern(bytes);
        std::vector<std::byte> received(bytes);
        Request* const out = job[0].isend(sent, 1, kOtherContext, kTag);
        ASSERT_EQ(job[2].receive(received, 1, kOtherContext, kTag), Status::ok);
        EXPECT_EQ(received, sent);
        job[1].wait(*whole);
        EXPECT_EQ(whole->info().status, Status::ok);
        EXPECT_TRUE(alive.expired());
        job[1].release(whole);
        job[0].wait(*out);
        job[0].release(out);
    }
}

TEST(Activity, WhatIsOverIsNotCalledAgain) {
    InProcessJob job(2);
    Request* const whole = job[0].open_request();
    auto relay = std::make_shared<Relay>(job[0], whole, 0, 0, 4);
    job[0].run(relay);
    Request* const self = job[0].isend(pattern(4), 0, kOtherContext, kTag);
    Request* const last = job[0].ireceive(std::span<std::byte>(), 0, kOtherContext, kTag);
    job[0].wait(*whole);
    const int advanced = relay->advanced;
    for (int i = 0; i < 5; ++i) job[0].progress();
    EXPECT_EQ(relay->advanced, advanced);
    for (Request* request : {self, last, whole}) job[0].release(request);
}

TEST(Activity, TheReleasedRequestGoesWhenTheActivityIsOver) {
    InProcessJob job(2);
    Request* const whole = job[0].open_request();
    job[0].run(std::make_shared<Relay>(job[0], whole, 1, 1, 4));
    job[0].release(whole);
    const auto sent = pattern(4);
    std::vector<std::byte> received(4);
    ASSERT_EQ(job[1].send(sent, 0, kOtherContext, kTag), Status::ok);
    ASSERT_EQ(job[1].receive(received, 0, kOtherContext, kTag), Status::ok);
    EXPECT_EQ(received, sent);
}

TEST(Activity, AWaitThatCannotEndNamesTheRank) {
    InProcessJob job(3);
    Request* const whole = job[1].open_request();
    job[1].run(std::make_shared<Relay>(job[1], whole, 0, 2, 8));
    job.transport(1).gone = {0};
    try {
        job[1].wait(*whole);
        FAIL() << "the wait ended";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("from rank 0 with tag 7, but rank 0 has finalized"));
    }
}

}  // namespace
