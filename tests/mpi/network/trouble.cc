// A library to preload into ranks that makes the network between them a bad one. What it does comes from the
// environment:
//
//   TROUBLE_SEED         of the random numbers; each rank has its own sequence
//   TROUBLE_RANK         only this rank has trouble; default: all
//   TROUBLE_LANE         only this connection of a rank, counted from 0 in the order of first use; default:
//   all TROUBLE_DELAY_US     longest time for which a connection brings nothing after it has brought
//   something TROUBLE_SHORT        longest piece in bytes that one call moves; the short messages of a
//   handshake go whole TROUBLE_RESETS       one of so many calls that would move bytes resets the connection
//   instead TROUBLE_RECORD       file to which the first bytes that are sent on each connection are appended
//
// At the end of a process a line on standard error says how often it made trouble.
// Only calls with MSG_DONTWAIT are touched: those of the TCP fabric, and not those of PMIx.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace {

using Clock = std::chrono::steady_clock;

long setting(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::atol(text) : otherwise;
}

struct Lane {
    int number = -1;  ///< in the order of first use; -1: not used yet
    Clock::time_point silent_until{};
};

/// All that is known to one process; the calls come from one thread.
class Trouble {
  public:
    static constexpr std::size_t kHandshakeBytes = 256;

    static Trouble& instance() {
        static Trouble trouble;
        return trouble;
    }

    /// The bytes that a call may move; the connection may be no more.
    std::size_t allowed(int fd, std::size_t bytes) {
        Lane* const lane = troubled(fd);
        if (lane == nullptr) return bytes;
        if (resets_ > 0 && random(resets_) == 0) reset(fd);
        if (bytes <= kHandshakeBytes || bytes <= static_cast<std::size_t>(short_)) return bytes;
        ++made_;
        return static_cast<std::size_t>(short_);
    }
    /// Whether a receive has to find nothing yet.
    bool silent(int fd) {
        Lane* const lane = troubled(fd);
        const bool is_silent = lane != nullptr && delay_us_ > 0 && Clock::now() < lane->silent_until;
        made_ += is_silent ? 1 : 0;
        return is_silent;
    }
    void brought(int fd) {
        Lane* const lane = troubled(fd);
        if (lane != nullptr && delay_us_ > 0)
            lane->silent_until = Clock::now() + std::chrono::microseconds(random(delay_us_));
    }
    void sent(int fd, const void* data, std::size_t bytes) {
        const auto index = static_cast<std::size_t>(fd);
        if (record_ < 0 || index >= recorded_.size() || recorded_[index]) return;
        recorded_[index] = true;
        static_cast<void>(!::write(record_, data, bytes));
    }

    ~Trouble() {
        if (made_ > 0) std::fprintf(stderr, "trouble made: %ld\n", made_);
    }

  private:
    Trouble()
        : rank_(setting("PMIX_RANK", 0)),
          numbers_(static_cast<std::uint64_t>(setting("TROUBLE_SEED", 1) * 1000 + rank_)) {
        const long only = setting("TROUBLE_RANK", rank_);
        if (only != rank_) lane_ = std::numeric_limits<int>::max();
        if (const char* path = std::getenv("TROUBLE_RECORD"))
            record_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }

    /// The lane behind `fd` if it is one that has trouble.
    Lane* troubled(int fd) {
        if (fd < 0 || static_cast<std::size_t>(fd) >= lanes_.size()) return nullptr;
        Lane& lane = lanes_[static_cast<std::size_t>(fd)];
        if (lane.number < 0) lane.number = next_lane_++;
        return lane_ < 0 || lane.number == lane_ ? &lane : nullptr;
    }
    long random(long below) { return static_cast<long>(numbers_() % static_cast<std::uint64_t>(below)); }
    /// As if somebody on the way had cut it: the peer sees ECONNRESET, this side EPIPE or ENOTCONN.
    void reset(int fd) {
        ++made_;
        const sockaddr nobody{AF_UNSPEC, {}};
        static_cast<void>(::connect(fd, &nobody, sizeof nobody));
    }

    long rank_;
    std::mt19937_64 numbers_;
    long lane_ = setting("TROUBLE_LANE", -1);
    long delay_us_ = setting("TROUBLE_DELAY_US", 0);
    long short_ = setting("TROUBLE_SHORT", std::numeric_limits<long>::max());
    long resets_ = setting("TROUBLE_RESETS", 0);
    int record_ = -1;
    long made_ = 0;
    int next_lane_ = 0;
    std::array<Lane, 1024> lanes_{};
    std::array<bool, 1024> recorded_{};
};

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The first of `message`'s vectors, shortened to what is allowed: the caller sees a short count and comes
/// again.
msghdr shortened(const msghdr& message, iovec& first, std::size_t allowed) {
    first = message.msg_iov[0];
    if (allowed >= first.iov_len) return message;
    first.iov_len = allowed;
    msghdr result = message;
    result.msg_iov = &first;
    result.msg_iovlen = 1;
    return result;
}

bool nothing_yet(int fd) {
    if (!Trouble::instance().silent(fd)) return false;
    errno = EAGAIN;
    return true;
}

}  // namespace

#pragma GCC visibility push(default)  // this is what the library is for
extern "C" {

ssize_t send(int fd, const void* data, std::size_t bytes, int flags) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t, int)>("send");
    if ((flags & MSG_DONTWAIT) == 0) return real(fd, data, bytes, flags);
    const ssize_t moved = real(fd, data, Trouble::instance().allowed(fd, bytes), flags);
    if (moved > 0) Trouble::instance().sent(fd, data, static_cast<std::size_t>(moved));
    return moved;
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
    static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
    if ((flags & MSG_DONTWAIT) == 0 || message->msg_iovlen == 0) return real(fd, message, flags);
    iovec first;
    const msghdr some =
        shortened(*message, first, Trouble::instance().allowed(fd, message->msg_iov[0].iov_len));
    return real(fd, &some, flags);
}

ssize_t recv(int fd, void* data, std::size_t bytes, int flags) {
    static auto* const real = next<ssize_t(int, void*, std::size_t, int)>("recv");
    if ((flags & MSG_DONTWAIT) == 0) return real(fd, data, bytes, flags);
    if (nothing_yet(fd)) return -1;
    const ssize_t moved = real(fd, data, Trouble::instance().allowed(fd, bytes), flags);
    if (moved > 0) Trouble::instance().brought(fd);
    return moved;
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
    static auto* const real = next<ssize_t(int, msghdr*, int)>("recvmsg");
    if ((flags & MSG_DONTWAIT) == 0 || message->msg_iovlen == 0) return real(fd, message, flags);
    if (nothing_yet(fd)) return -1;
    iovec first;
    msghdr some = shortened(*message, first, Trouble::instance().allowed(fd, message->msg_iov[0].iov_len));
    const ssize_t moved = real(fd, &some, flags);
    if (moved > 0) Trouble::instance().brought(fd);
    return moved;
}
}
