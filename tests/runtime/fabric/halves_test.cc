// One message copied by two processes: the question, taking it back, and the bytes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "runtime/fabric/shm/halves_board.hpp"
#include "runtime/fabric/shm/single_copy.hpp"

namespace rb2::fabric::shm {
namespace {

constexpr std::uint32_t kHelper = 3;
constexpr Half kHalf{.from = 100, .to = 200, .bytes = 300};

TEST(HalvesBoard, OnlyTheOneThatIsAskedTakesItAndOnce) {
    HalvesBoard board{};
    EXPECT_FALSE(board.take(kHelper));
    board.ask(kHelper, kHalf);
    EXPECT_FALSE(board.take(kHelper + 1));
    const auto half = board.take(kHelper);
    ASSERT_TRUE(half);
    EXPECT_EQ(half->from, 100U);
    EXPECT_EQ(half->to, 200U);
    EXPECT_EQ(half->bytes, 300U);
    EXPECT_FALSE(board.take(kHelper));
    EXPECT_FALSE(board.take_back()) << "too late";
    EXPECT_TRUE(board.taken());
    board.finish(true);
    EXPECT_FALSE(board.taken());
    EXPECT_TRUE(board.written());
}

TEST(HalvesBoard, WhatIsTakenBackIsNobodys) {
    HalvesBoard board{};
    board.ask(kHelper, kHalf);
    EXPECT_TRUE(board.take_back());
    EXPECT_FALSE(board.take(kHelper));
    EXPECT_FALSE(board.written());
}

TEST(HalvesBoard, EachQuestionIsAnsweredForItself) {
    HalvesBoard board{};
    for (const bool able : {true, false, true}) {
        board.ask(kHelper, kHalf);
        EXPECT_FALSE(board.written()) << "of the question before";
        ASSERT_TRUE(board.take(kHelper));
        board.finish(able);
        EXPECT_FALSE(board.taken());
        EXPECT_EQ(board.written(), able);
    }
}

/// A process that does `work` on a board shared with this one, until the test is over.
class Process {
  public:
    Process(pid_t reader, std::function<void()> work) : pid_(::fork()) {
        if (pid_ != 0) return;
        while (::getppid() == reader) work();
        ::_exit(0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  private:
    pid_t pid_;
};

struct Unmap {
    void operator()(HalvesBoard* board) const noexcept { ::munmap(board, sizeof *board); }
};

class Halves : public ::testing::Test {
  protected:
    Halves() : board_(make_board()), message_(1U << 20), got_(message_.size()) {
        permit_single_copy();
        for (std::size_t i = 0; i < message_.size(); ++i)
            message_[i] = static_cast<std::byte>(i * 7 + (i >> 12));
    }
    static std::unique_ptr<HalvesBoard, Unmap> make_board() {
        void* const memory =
            ::mmap(nullptr, sizeof(HalvesBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        return std::unique_ptr<HalvesBoard, Unmap>(static_cast<HalvesBoard*>(memory));
    }
    [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(message_.data()); }

    std::unique_ptr<HalvesBoard, Unmap> board_;
    std::vector<std::byte> message_;  // a child has it at the same address
    std::vector<std::byte> got_;
};

TEST_F(Halves, AHelperWritesTheSecondHalf) {
    SingleCopy to_parent(::getpid());
    const Process helper(::getpid(), [&] { to_parent.help(*board_, kHelper); });
    SingleCopy from_child(helper.pid());
    int written = 0;
    for (int round = 0; round < 200; ++round) {
        const std::size_t bytes = message_.size() - static_cast<std::size_t>(round + 1) * 1001;
        std::fill(got_.begin(), got_.end(), std::byte{0});
        ASSERT_TRUE(from_child.read_in_halves(std::span(got_).first(bytes), address(), *board_, kHelper));
        ASSERT_TRUE(
            std::equal(got_.begin(), got_.begin() + static_cast<std::ptrdiff_t>(bytes), message_.begin()));
        ASSERT_EQ(got_[bytes], std::byte{0}) << "past the end";
        written += board_->written() ? 1 : 0;
    }
    EXPECT_GT(written, 0) << "it never came in time";
}

TEST_F(Halves, WithoutAHelperTheReaderReadsBoth) {
    const Process sender(::getpid(), [] { ::pause(); });
    SingleCopy from_child(sender.pid());
    ASSERT_TRUE(from_child.read_in_halves(got_, address(), *board_, kHelper));
    EXPECT_EQ(got_, message_);
    EXPECT_FALSE(board_->written());
}

TEST_F(Halves, AHelperThatMayNotWriteLeavesItToTheReader) {
    const SingleCopy refused;  // no process that it could write to
    const Process helper(::getpid(), [&] { refused.help(*board_, kHelper); });
    SingleCopy from_child(helper.pid());
    for (int round = 0; round < 50; ++round) {
        std::fill(got_.begin(), got_.end(), std::byte{0});
        ASSERT_TRUE(from_child.read_in_halves(got_, address(), *board_, kHelper));
        ASSERT_EQ(got_, message_);
    }
}

TEST_F(Halves, RefusalOfTheReaderIsRemembered) {
    SingleCopy nobody(::getpid());
    EXPECT_FALSE(nobody.read_in_halves(got_, 16, *board_, kHelper)) << "nothing is mapped there";
    EXPECT_FALSE(nobody.usable());
}

}  // namespace
}  // namespace rb2::fabric::shm
