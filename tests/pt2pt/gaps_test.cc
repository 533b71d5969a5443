// Messages from and to memory with gaps, between ranks that share one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "datatype/layout.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using datatype::Layout;
using datatype::LayoutRef;
using datatype::TypeMap;
using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

/// Blocks of 12 bytes, each followed by a gap of 8.
constexpr std::size_t kBlock = 12;
constexpr std::size_t kStride = 20;
LayoutRef gapped() {
    const auto byte = TypeMap::basic({1, 1, 1, datatype::Representation::bytes});
    return Layout::make(*TypeMap::resized(0, kStride, TypeMap::contiguous(kBlock, byte)));
}

/// Memory of that layout which holds `data`, a whole number of blocks; gaps are zero.
std::vector<std::byte> spread(const std::vector<std::byte>& data) {
    std::vector<std::byte> memory(data.size() / kBlock * kStride);
    for (std::size_t i = 0; i < data.size(); ++i) memory[i / kBlock * kStride + i % kBlock] = data[i];
    return memory;
}

class Gaps : public ::testing::TestWithParam<std::size_t> {
  protected:
    Gaps()
        : sent(pattern(GetParam() * kBlock)), memory(spread(sent)), room(memory.size()), plain(sent.size()) {}

    [[nodiscard]] Gather gather() const { return {memory.data(), layout.get(), sent.size()}; }
    [[nodiscard]] Scatter scatter() { return {room.data(), layout.get(), sent.size()}; }

    InProcessJob job{2};
    LayoutRef layout = gapped();
    std::vector<std::byte> sent;
    std::vector<std::byte> memory;
    std::vector<std::byte> room;   // for a receive with gaps
    std::vector<std::byte> plain;  // and without
};

TEST_P(Gaps, ArriveWhenTheReceiveIsPosted) {
    for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
        std::fill(room.begin(), room.end(), std::byte{0});
        Request* receive = job[1].ireceive(scatter(), 0, kContext, 7);
        EXPECT_EQ(job[0].send(gather(), 1, kContext, 7, mode), Status::ok);
        job[1].wait(*receive);
        EXPECT_EQ(room, memory);
        EXPECT_EQ(receive->info().bytes, sent.size());
        job[1].release(receive);
    }
}

TEST_P(Gaps, ArriveWhenTheReceiveComesLate) {
    Request* send = job[0].isend(gather(), 1, kContext, 7);
    for (int i = 0; i < 50; ++i) job.progress_all();
    MessageInfo info;
    EXPECT_EQ(job[1].receive(scatter(), kAnySource, kContext, kAnyTag, &info), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(room, memory);
    EXPECT_EQ(info.bytes, sent.size());
}

TEST_P(Gaps, MixWithPlainMemory) {
    job.transport(0).offers = true;  // long plain messages would be read from the sender's memory
    Request* receive = job[1].ireceive(plain, 0, kContext, 1);
    EXPECT_EQ(job[0].send(gather(), 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    job[1].release(receive);
    EXPECT_EQ(plain, sent);
    receive = job[1].ireceive(scatter(), 0, kContext, 2);
    EXPECT_EQ(job[0].send(sent, 1, kContext, 2), Status::ok);
    job[1].wait(*receive);
    job[1].release(receive);
    EXPECT_EQ(room, memory);
}

TEST_P(Gaps, GoToSelf) {
    for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
        std::fill(room.begin(), room.end(), std::byte{0});
        Request* send = job[0].isend(gather(), 0, kContext, 1, mode);
        EXPECT_EQ(job[0].receive(scatter(), 0, kContext, 1), Status::ok);
        job[0].wait(*send);
        job[0].release(send);
        EXPECT_EQ(room, memory);
        Request* receive = job[0].ireceive(plain, 0, kContext, 2);
        EXPECT_EQ(job[0].send(gather(), 0, kContext, 2, mode), Status::ok);
        job[0].wait(*receive);
        job[0].release(receive);
        EXPECT_EQ(plain, sent);
    }
}

TEST_P(Gaps, AreFilledUpToTheEndOfAShortBuffer) {
    if (sent.empty()) return;
    const std::size_t fits = sent.size() - 5;
    for (const bool posted : {true, false}) {
        std::fill(room.begin(), room.end(), std::byte{0});
        Request* receive =
            posted ? job[1].ireceive(Scatter{room.data(), layout.get(), fits}, 0, kContext, 1) : nullptr;
        Request* send = job[0].isend(gather(), 1, kContext, 1);
        for (int i = 0; i < 50; ++i) job.progress_all();
        if (!posted) receive = job[1].ireceive(Scatter{room.data(), layout.get(), fits}, 0, kContext, 1);
        job[1].wait(*receive);
        EXPECT_EQ(receive->info().status, Status::truncated);
        EXPECT_EQ(receive->info().bytes, sent.size());
        job[1].release(receive);
        job[0].wait(*send);
        job[0].release(send);
        std::vector<std::byte> cut = sent;
        std::fill(cut.end() - 5, cut.end(), std::byte{0});
        EXPECT_EQ(room, spread(cut));
    }
}

TEST_P(Gaps, OutliveTheUsersReferenceToTheLayout) {
    Request* receive = job[1].ireceive(scatter(), 0, kContext, 7);
    Request* send = job[0].isend(gather(), 1, kContext, 7, SendMode::synchronous);
    layout = LayoutRef();
    job[1].wait(*receive);
    job[0].wait(*send);
    job[1].release(receive);
    job[0].release(send);
    EXPECT_EQ(room, memory);
}

TEST_P(Gaps, AreFilledByAMatchedReceive) {
    Request* send = job[0].isend(gather(), 1, kContext, 7);
    for (int i = 0; i < 50; ++i) job.progress_all();
    Unexpected* message = job[1].improbe(0, kContext, 7, nullptr);
    ASSERT_NE(message, nullptr);
    Request* receive = job[1].imreceive(message, scatter());
    job[1].wait(*receive);
    job[1].release(receive);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(room, memory);
}

TEST_P(Gaps, ReachAHandlerInOnePiece) {
    std::vector<std::byte> got;
    const InPlaceHandler handler{[](void* to, const MessageInfo&, std::span<const std::byte> message) {
                                     static_cast<std::vector<std::byte>*>(to)->assign(message.begin(),
                                                                                      message.end());
                                 },
                                 &got};
    Request* send = job[0].isend(gather(), 1, kContext, 7);
    EXPECT_EQ(job[1].receive_in_place(handler, 0, kContext, 7), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);
}

// In blocks: nothing, one inline line, one record, several, past the eager window.
INSTANTIATE_TEST_SUITE_P(Blocks, Gaps, ::testing::Values(0, 1, 3, 100, 682, 700, 3000, 6000, 30000));

}  // namespace
}  // namespace rb2::pt2pt
