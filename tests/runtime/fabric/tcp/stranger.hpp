#pragma once
// A socket in the hands of somebody who knows the handshake or does not, and the secret or does not.

#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp::test {

class Stranger {
  public:
    explicit Stranger(const SocketAddress& address)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_storage native;
        const socklen_t bytes = address.to_native(native);
        static_cast<void>(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&native), bytes));
    }

    /// Whether the kernel took it all.
    bool say(const void* data, std::size_t bytes) {
        return ::send(socket_.get(), data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
    }
    template <class Message>
    bool say(const Message& message) {
        return say(&message, sizeof message);
    }
    /// Whether a whole message has been heard, now or at an earlier call.
    template <class Message>
    bool hears(Message& message) {
        auto* const to = reinterpret_cast<std::byte*>(&message);
        const ssize_t count = ::recv(socket_.get(), to + heard_, sizeof message - heard_, MSG_DONTWAIT);
        if (count > 0) heard_ += static_cast<std::size_t>(count);
        if (heard_ < sizeof message) return false;
        heard_ = 0;
        return true;
    }
    /// Whether the other side has closed; what it said before is thrown away.
    bool thrown_out() {
        std::byte byte[256];
        const ssize_t count = ::recv(socket_.get(), byte, sizeof byte, MSG_DONTWAIT);
        return count == 0 || (count < 0 && errno != EAGAIN && errno != ENOTCONN);
    }
    void hang_up() { socket_ = Descriptor(); }

  private:
    Descriptor socket_;
    std::size_t heard_ = 0;
};

/// What rank `from` says to rank `to` after that challenge.
inline Hello hello(std::uint32_t from, std::uint32_t to, const Challenge& challenge,
                   const Secret& known = secret()) {
    Hello result{.from = from, .to = to};
    static_cast<void>(random_nonce(result.nonce));
    result.proof = prove(known, challenge, result);
    return result;
}

}  // namespace rb2::fabric::tcp::test
