// Processes: a peer in another one, a peer that is killed, forks beside registered memory, limits on locking.

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "runtime/status.hpp"
#include "tests/runtime/block.hpp"
#include "tests/runtime/fabric/verbs/sides.hpp"

namespace rb2::fabric::test {
namespace {

/// A process with a device, an endpoint and memory of its own, connected to this one's.
class Peer {
  public:
    /// `act` runs there, then the process ends.
    template <class Act>
    explicit Peer(Act act) {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
        child_ = fork();
        if (child_ == 0) {
            close(ends[0]);
            Memory memory;
            verbs::Device device;
            verbs::CompletionQueue queue(device);
            verbs::Endpoint endpoint(queue);
            const verbs::Region region = endpoint.register_memory(memory.bytes);
            const Remote other = join(endpoint, region.remote(), ends[1]);
            act(endpoint, memory, region, other);
            _exit(0);
        }
        close(ends[1]);
        there_ = join(endpoint_, region_.remote(), ends[0]);
        socket_ = ends[0];
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() {
        kill();
        close(socket_);
    }

    void kill() {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        child_ = 0;
    }
    [[nodiscard]] verbs::Endpoint& endpoint() { return endpoint_; }
    [[nodiscard]] Memory& memory() { return memory_; }
    [[nodiscard]] Source source(std::size_t bytes) { return memory_.source(0, bytes, region_.key()); }
    [[nodiscard]] Remote there() const { return there_; }

  private:
    /// Exchanges cards; the peer's memory.
    static Remote join(verbs::Endpoint& endpoint, Remote own, int socket) {
        const verbs::Card card = endpoint.card(own);
        verbs::Card peer;
        if (write(socket, &card, sizeof card) != sizeof card ||
            read(socket, &peer, sizeof peer) != sizeof peer)
            _exit(9);
        endpoint.connect(peer);
        char ready = 0;  // both are connected before anybody writes
        if (write(socket, &ready, 1) != 1 || read(socket, &ready, 1) != 1) _exit(9);
        return peer.memory;
    }

    Memory memory_;
    verbs::CompletionQueue queue_{verbs_device()};
    verbs::Endpoint endpoint_{queue_};
    verbs::Region region_{endpoint_.register_memory(memory_.bytes)};
    Remote there_;
    pid_t child_ = 0;
    int socket_ = -1;
};

std::uint64_t load(Memory& memory, std::size_t at) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory.bytes.data() + at))
        .load(std::memory_order_acquire);
}

TEST(VerbsProcess, TwoProcessesExchangeWrites) {
    constexpr std::uint64_t rounds = 50;
    Peer peer([](verbs::Endpoint& endpoint, Memory& memory, const verbs::Region&, Remote other) {
        for (std::uint64_t round = 1; round <= rounds; ++round) {
            if (!eventually([&] { return load(memory, 0) == round; })) _exit(1);
            const std::uint64_t answer = 2 * round;
            static_cast<void>(
                endpoint.write({reinterpret_cast<const std::byte*>(&answer), sizeof answer}, other));
            static_cast<void>(endpoint.flush());
        }
        eventually([&] { return endpoint.settle(); });
    });
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        ASSERT_EQ(
            peer.endpoint().write({reinterpret_cast<const std::byte*>(&round), sizeof round}, peer.there()),
            Status::ok);
        ASSERT_EQ(peer.endpoint().flush(), Status::ok);
        ASSERT_TRUE(eventually([&] { return load(peer.memory(), 0) == 2 * round; })) << round;
    }
}

TEST(VerbsProcess, AKilledPeerIsLost) {
    Peer peer([](auto&&...) { pause(); });
    ASSERT_EQ(peer.endpoint().write(peer.source(64), peer.there(), Signal{1}), Status::ok);
    ASSERT_EQ(peer.endpoint().flush(), Status::ok);
    ASSERT_TRUE(eventually([&] { return peer.endpoint().settle(); }));
    ASSERT_EQ(completions(peer.endpoint()).front().status, Status::ok);
    peer.kill();
    ASSERT_EQ(peer.endpoint().write(peer.source(64), peer.there(), Signal{2}), Status::ok);
    ASSERT_EQ(peer.endpoint().flush(), Status::ok);
    ASSERT_TRUE(eventually([&] { return peer.endpoint().settle(); }, std::chrono::seconds(60)));
    EXPECT_EQ(peer.endpoint().status(), Status::peer_lost);
    EXPECT_NE(peer.endpoint().failure().find("WRITE of 64 bytes failed"), std::string::npos);
}

/// With nothing under way a reliable connection is never told that its peer is gone: somebody must ask.
TEST(VerbsProcess, AProbeFindsAKilledPeerThoughNothingIsSent) {
    Peer peer([](auto&&...) { pause(); });
    peer.endpoint().probe();
    ASSERT_TRUE(eventually([&] { return peer.endpoint().settle(); }));
    ASSERT_EQ(peer.endpoint().status(), Status::ok) << peer.endpoint().failure();
    EXPECT_TRUE(completions(peer.endpoint()).empty()) << "an answer is no news";
    peer.kill();
    ASSERT_TRUE(eventually(
        [&] {
            peer.endpoint().probe();
            return !completions(peer.endpoint()).empty();
        },
        std::chrono::seconds(60)));
    EXPECT_EQ(peer.endpoint().status(), Status::peer_lost);
}

TEST(VerbsProcess, AForkDoesNotPartTheDeviceFromTheMemory) {
    RawVerbsSides sides;
    const verbs::Region a = sides.a.register_memory(sides.memory_a.bytes);
    const verbs::Region b = sides.b.register_memory(sides.memory_b.bytes);
    for (std::uint64_t round = 1; round <= 5; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            sides.memory_a = {};
            sides.memory_b = {};
            _exit(0);
        }
        for (std::size_t at = 0; at < kWindowBytes; at += 8) sides.memory_a.set_word(at, round);
        ASSERT_EQ(sides.a.write(sides.memory_a.source(0, kWindowBytes, a.key()), b.remote()), Status::ok);
        ASSERT_EQ(sides.a.flush(), Status::ok);
        ASSERT_TRUE(eventually([&] { return sides.a.settle(); }));
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        for (std::size_t at = 0; at < kWindowBytes; at += 8) ASSERT_EQ(sides.memory_b.word(at), round);
    }
}

/// This process as one that may lock `bytes` and no more.
void limit_locked_memory(rlim_t bytes) {
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_MEMLOCK, &limit);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
    syscall(SYS_capget, &header, data.data());
    data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
    syscall(SYS_capset, &header, data.data());
}

template <class Start>
void say_why_not(Start start) {
    try {
        start();
    } catch (const StartupError& error) {
        std::fputs(error.what(), stderr);
        _exit(3);
    }
    _exit(0);
}

TEST(VerbsDeathTest, ATinyLimitOnLockedMemoryIsNamedAtTheStart) {
    EXPECT_EXIT(
        {
            limit_locked_memory(64 << 10);
            say_why_not([] { const verbs::Device device; });
        },
        testing::ExitedWithCode(3), "limit on locked memory is 64 KiB, at least 256 KiB.*ulimit -l");
}

TEST(VerbsDeathTest, ALimitThatARegistrationMeetsIsNamed) {
    EXPECT_EXIT(
        {
            limit_locked_memory(1 << 20);
            say_why_not([] {
                verbs::Device device;
                rb2::test::Block block(4 << 20);
                const verbs::Region region = device.register_memory(block.bytes());
            });
        },
        testing::ExitedWithCode(3), "ibv_reg_mr failed.*4194304 bytes.*ulimit -l\\) is 1024 KiB");
}

TEST(VerbsDeathTest, ADeviceThatIsNotThereIsNamedWithThoseThatAre) {
    EXPECT_EXIT(say_why_not([] { const verbs::Device device({.device = "mlx5_9"}); }),
                testing::ExitedWithCode(3), "RB2_VERBS_DEVICE=mlx5_9.*rxe0 port 1: not the one asked for");
    EXPECT_EXIT(say_why_not([] { const verbs::Device device({.gid_index = 77}); }),
                testing::ExitedWithCode(3), "rxe0 port 1: no GID");
    EXPECT_EXIT(say_why_not([] { const verbs::Device device({.mtu = 3000}); }), testing::ExitedWithCode(3),
                "RB2_VERBS_MTU=3000 is not a power of two");
}

}  // namespace
}  // namespace rb2::fabric::test
