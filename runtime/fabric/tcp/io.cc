#include "runtime/fabric/tcp/io.hpp"

#include <sys/ioctl.h>

namespace rb2::fabric::tcp {
namespace {

ssize_t send_vectors(int fd, std::span<iovec> from) noexcept {
    // One vector needs no message header to be read by the kernel.
    if (from.size() == 1) return ::send(fd, from[0].iov_base, from[0].iov_len, MSG_NOSIGNAL | MSG_DONTWAIT);
    msghdr message{};
    message.msg_iov = from.data();
    message.msg_iovlen = from.size();
    return ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t receive_vectors(int fd, std::span<iovec> to) noexcept {
    if (to.size() == 1) return ::recv(fd, to[0].iov_base, to[0].iov_len, MSG_DONTWAIT);
    msghdr message{};
    message.msg_iov = to.data();
    message.msg_iovlen = to.size();
    return ::recvmsg(fd, &message, MSG_DONTWAIT);
}

std::int64_t available_bytes(int fd) noexcept {
    int bytes = 0;
    return ::ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : -1;
}

}  // namespace

const Io kKernelIo{send_vectors, receive_vectors, available_bytes};

}  // namespace rb2::fabric::tcp
