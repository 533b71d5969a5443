#pragma once
// A kernel that takes and gives as little as it may: calls cut short at any byte, refused, or failing.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <random>
#include <span>

#include "runtime/fabric/tcp/io.hpp"

namespace rb2::fabric::tcp::test {

/// Of the calling thread.
struct Cuts {
    std::mt19937_64 random{1};
    std::size_t most = std::numeric_limits<std::size_t>::max();  ///< bytes one call may move, at random
    unsigned refused = 0;                                        ///< of 100 calls
    std::uint64_t calls_left = std::numeric_limits<std::uint64_t>::max();  ///< until the connection is reset
};
inline thread_local Cuts cuts;

/// The vectors cut to a random length; empty when the call is to fail, with errno.
inline std::span<iovec> cut(std::span<iovec> vectors) noexcept {
    if (cuts.calls_left == 0 || cuts.calls_left-- == 0) {
        errno = ECONNRESET;
        return {};
    }
    if (cuts.random() % 100 < cuts.refused) {
        errno = EAGAIN;
        return {};
    }
    if (cuts.most == std::numeric_limits<std::size_t>::max()) return vectors;
    std::size_t left = 1 + cuts.random() % cuts.most;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        vectors[i].iov_len = std::min(vectors[i].iov_len, left);
        left -= vectors[i].iov_len;
        if (left == 0) return vectors.first(i + 1);
    }
    return vectors;
}

inline ssize_t cut_send(int fd, std::span<iovec> from) noexcept {
    const std::span<iovec> some = cut(from);
    return some.empty() ? -1 : kKernelIo.send(fd, some);
}

inline ssize_t cut_receive(int fd, std::span<iovec> to) noexcept {
    const std::span<iovec> some = cut(to);
    return some.empty() ? -1 : kKernelIo.receive(fd, some);
}

inline const Io kCutIo{cut_send, cut_receive, kKernelIo.available};

}  // namespace rb2::fabric::tcp::test
