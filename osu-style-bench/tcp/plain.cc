// Two sockets and nothing else: what the wire and the kernel allow.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/tcp/wire.hpp"
#include "runtime/memory/descriptor.hpp"

namespace rb2::bench::tcp {
namespace {

using fabric::tcp::SocketAddress;
using memory::Descriptor;

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Socket {
  public:
    Socket(Descriptor descriptor, bool spins)
        : descriptor_(std::move(descriptor)), flags_(spins ? MSG_DONTWAIT : 0) {
        const int on = 1;
        ::setsockopt(descriptor_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    void send(const std::vector<std::byte>& bytes) {
        for (std::size_t done = 0; done < bytes.size();)
            done += count(
                ::send(descriptor_.get(), bytes.data() + done, bytes.size() - done, flags_ | MSG_NOSIGNAL));
    }
    void receive(std::vector<std::byte>& bytes) {
        for (std::size_t done = 0; done < bytes.size();)
            done += count(::recv(descriptor_.get(), bytes.data() + done, bytes.size() - done, flags_));
    }

  private:
    static std::size_t count(ssize_t result) {
        if (result > 0) return static_cast<std::size_t>(result);
        if (result == 0 || errno != EAGAIN) fail("plain socket");
        return 0;
    }

    Descriptor descriptor_;
    int flags_;
};

Descriptor open_socket(const IpAddress& address) {
    const int family = address.family == fabric::tcp::Family::v6 ? AF_INET6 : AF_INET;
    return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

Socket accept_one(const Side& side, Meeting& meeting, bool spins) {
    const Descriptor listener = open_socket(side.address);
    sockaddr_storage native;
    socklen_t bytes = SocketAddress{side.address, 0}.to_native(native);
    if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&native), bytes) != 0 ||
        ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&native), &bytes) != 0)
        fail("listening at " + side.address.text());
    meeting.ports[0].store(SocketAddress::from_native(native).port, std::memory_order_release);
    Descriptor socket(::accept(listener.get(), nullptr, nullptr));
    if (socket.get() < 0) fail("accepting");
    return {std::move(socket), spins};
}

Socket call(const IpAddress& address, std::uint16_t port, bool spins) {
    Descriptor socket = open_socket(address);
    sockaddr_storage native;
    const socklen_t bytes = SocketAddress{address, port}.to_native(native);
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&native), bytes) != 0)
        fail("connecting to " + address.text());
    return {std::move(socket), spins};
}

/// A round: a window of messages one way and a message of the other's kind back.
void first_side(Socket& socket, const Load& load, int rounds) {
    const std::vector<std::byte> message(load.bytes);
    std::vector<std::byte> answer(load.window == 1 ? load.bytes : 8);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < load.window; ++i) socket.send(message);
        socket.receive(answer);
    }
}

void second_side(Socket& socket, const Load& load, int rounds) {
    std::vector<std::byte> message(load.bytes);
    const std::vector<std::byte> answer(load.window == 1 ? load.bytes : 8);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < load.window; ++i) socket.receive(message);
        socket.send(answer);
    }
}

}  // namespace

double plain_seconds(const Wire& wire, const Load& load, bool spins) {
    const limits::Shared<Meeting> meeting;
    const limits::Spin spin(wire.processors);
    double seconds = 0;
    const auto first = [&] {
        Socket socket = accept_one(wire.first, *meeting, spins);
        first_side(socket, load, load.warm_up);
        const Stopwatch watch;
        first_side(socket, load, load.rounds);
        seconds = watch.elapsed_us() * 1e-6;
    };
    limits::run_pinned_pair(wire.processors, first, [&] {
        try {
            enter(wire.second);
            Socket socket = call(wire.first.address, meeting->port(0, spin), spins);
            second_side(socket, load, load.warm_up + load.rounds);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "rb2_tcp: second side: %s\n", error.what());
            std::_Exit(EXIT_FAILURE);
        }
    });
    return seconds;
}

}  // namespace rb2::bench::tcp
