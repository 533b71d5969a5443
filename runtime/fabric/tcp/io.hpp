#pragma once
// The kernel as an established connection sees it. Exchangeable, so that tests can cut calls short and fail
// them.

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rb2::fabric::tcp {

/// Results and errno as of the system calls of the same purpose; never blocks.
struct Io {
    /// sendmsg(). Bytes taken, or -1.
    ssize_t (*send)(int fd, std::span<iovec> from) noexcept;
    /// readv(). Bytes read, 0 at the end of the stream, or -1.
    ssize_t (*receive)(int fd, std::span<iovec> to) noexcept;
    /// Bytes that receive() would bring, or -1. 0 also at the end of the stream.
    std::int64_t (*available)(int fd) noexcept;
};

extern const Io kKernelIo;

}  // namespace rb2::fabric::tcp
