// Two processes, one of which may die.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>
#include <thread>

#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp::test {
namespace {

/// Memory that both processes see, for what a launcher would tell them.
struct Board {
    std::atomic<std::uint32_t> ports[2];
    std::atomic<std::uint32_t> keys[2];
};

class SharedBoard {
  public:
    SharedBoard()
        : board_(new (::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                             0)) Board{}) {}
    ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
    SharedBoard(const SharedBoard&) = delete;
    SharedBoard& operator=(const SharedBoard&) = delete;
    Board* operator->() const { return board_; }

  private:
    Board* board_;
};

std::uint32_t awaited(const std::atomic<std::uint32_t>& word) {
    while (word.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    return word;
}

constexpr std::size_t kRoundBytes = 100'000;
constexpr std::uint64_t kRounds = 100;

/// A rank that sends its rounds to the other and checks the other's.
class Rank {
  public:
    Rank(std::uint32_t rank, SharedBoard& board)
        : context_(with_peer(rank, board)),
          endpoint_(context_.endpoint(1 - rank)),
          out_(kRoundBytes),
          in_(kRoundBytes + 8),
          region_(endpoint_.register_memory(in_)) {
        board->keys[rank].store(region_.key(), std::memory_order_release);
        board->ports[rank].store(context_.addresses().front().port, std::memory_order_release);
        place_ = {0, awaited(board->keys[1 - rank])};
    }
    void send(std::uint64_t round) {
        std::ranges::fill(out_, static_cast<std::byte>(round));
        static_cast<void>(endpoint_.write({out_.data(), kRoundBytes}, place_));
        static_cast<void>(
            endpoint_.write({reinterpret_cast<const std::byte*>(&round), 8}, place_ + kRoundBytes));
        static_cast<void>(endpoint_.flush());
    }
    /// Until the peer's message of that round is here and whole; false once the peer is lost.
    bool receive(std::uint64_t round) {
        const bool came = step_until({&context_}, [&] {
            std::uint64_t seen = 0;
            std::memcpy(&seen, in_.data() + kRoundBytes, sizeof seen);
            return seen == round || endpoint_.status() != Status::ok;
        });
        return came && endpoint_.status() == Status::ok && holds(round);
    }
    Endpoint& endpoint() { return endpoint_; }
    bool finish() { return context_.finish(Clock::now() + std::chrono::seconds(20)); }

  private:
    [[nodiscard]] bool holds(std::uint64_t round) const {
        return std::all_of(in_.begin(), in_.begin() + kRoundBytes,
                           [&](std::byte byte) { return byte == static_cast<std::byte>(round); });
    }
    static Options with_peer(std::uint32_t rank, SharedBoard& board) {
        Options result = options(rank);
        result.find_peer = [&board](std::uint32_t peer, std::string&) {
            return std::vector{Target{loopback(static_cast<std::uint16_t>(awaited(board->ports[peer]))), {}}};
        };
        return result;
    }

    Context context_;
    Endpoint& endpoint_;
    std::vector<std::byte> out_;
    std::vector<std::byte> in_;
    Region region_;
    Remote place_;
};

/// The other process: its exit status tells how many rounds were wrong.
pid_t fork_rank(SharedBoard& board, std::uint64_t rounds) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    Rank rank(1, board);
    int wrong = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        wrong += rank.receive(round) ? 0 : 1;
        rank.send(round);
    }
    if (rounds < kRounds) ::raise(SIGKILL);
    wrong += rank.finish() ? 0 : 100;
    ::_exit(wrong);
}

TEST(Processes, ExchangeLongMessagesAndPart) {
    SharedBoard board;
    const pid_t child = fork_rank(board, kRounds);
    Rank rank(0, board);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        rank.send(round);
        ASSERT_TRUE(rank.receive(round)) << rank.endpoint().cause();
    }
    EXPECT_TRUE(rank.finish());
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Processes, ADeadPeerIsNamed) {
    SharedBoard board;
    const pid_t child = fork_rank(board, 3);
    Rank rank(0, board);
    std::uint64_t round = 0;
    do rank.send(++round);
    while (round < 10 && rank.receive(round));
    EXPECT_GE(round, 3U);
    EXPECT_EQ(rank.endpoint().status(), Status::peer_lost);
    EXPECT_NE(rank.endpoint().cause().find("rank 1 at 127.0.0.1:"), std::string::npos)
        << rank.endpoint().cause();
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
