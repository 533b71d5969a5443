// tcp_beside: the same job through MPI and through one plain socket, between the same two processes, by turns
// of some tens of milliseconds. What changes from start to start or from second to second, such as the
// distance between a virtual machine's processors, changes for both.

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "command/program.hpp"
#include "osu-style-bench/engine/page_buffer.hpp"
#include "osu-style-bench/engine/statistics.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/world.hpp"
#include "runtime/memory/descriptor.hpp"

namespace {

using namespace rb2::bench;
using rb2::memory::Descriptor;

struct Load {
    std::string name;
    std::size_t bytes;
    std::size_t window;  ///< messages before an answer of 4 bytes; 1: ping-pong
};
const std::vector<Load> kGoals{{"latency 8 B", 8, 1},
                               {"latency 64 KiB", 65'536, 1},
                               {"bandwidth 64 KiB", 65'536, 64},
                               {"bandwidth 4 MiB", 4U << 20, 64}};
constexpr std::size_t kLongest = 4U << 20;
constexpr double kTurnSeconds = 0.04;

[[noreturn]] void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Messages over MPI, from and into the same buffer each.
class Mpi {
  public:
    explicit Mpi(int peer) : peer_(peer) {}

    void send_all(std::span<const std::byte> message, std::size_t count) {
        if (count == 1) return send(message, peer_);
        for (std::size_t i = 0; i < count; ++i) isend(message, peer_, requests_.at(i));
        wait_all(std::span(requests_).first(count));
    }
    void receive_all(std::span<std::byte> message, std::size_t count) {
        if (count == 1) return recv(message, peer_);
        for (std::size_t i = 0; i < count; ++i) irecv(message, peer_, requests_.at(i));
        wait_all(std::span(requests_).first(count));
    }

  private:
    int peer_;
    std::array<MPI_Request, 64> requests_{};
};

/// The same over a socket that is asked again and again: on processors of their own faster than one that
/// blocks.
class Plain {
  public:
    /// Rank 0 listens at `address`, rank 1 calls.
    Plain(const World& world, const std::string& address, const std::string& congestion)
        : socket_(world.rank() == 0 ? accept_one(address) : call(address)) {
        const int on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const auto bytes = static_cast<socklen_t>(congestion.size());
        if (bytes != 0 &&
            ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_CONGESTION, congestion.data(), bytes) != 0)
            throw_errno("--congestion");
    }

    void send_all(std::span<const std::byte> message, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            for (auto rest = message; !rest.empty();)
                rest = rest.subspan(
                    moved(::send(socket_.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL)));
        }
    }
    void receive_all(std::span<std::byte> message, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            for (auto rest = message; !rest.empty();)
                rest = rest.subspan(moved(::recv(socket_.get(), rest.data(), rest.size(), MSG_DONTWAIT)));
        }
    }

  private:
    using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

    static Addresses resolve(const std::string& address, std::uint16_t port) {
        addrinfo hints{};
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
            throw std::invalid_argument("'" + address + "' is no numeric address");
        return {found, ::freeaddrinfo};
    }
    static Descriptor open_socket(const addrinfo& to) {
        return Descriptor(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }
    /// Tells rank 1 the port.
    static Descriptor accept_one(const std::string& address) {
        const Addresses own = resolve(address, 0);
        const Descriptor listener = open_socket(*own);
        sockaddr_in6 bound{};  // an IPv4 address has its port at the same place
        socklen_t length = sizeof bound;
        if (::bind(listener.get(), own->ai_addr, own->ai_addrlen) != 0 || ::listen(listener.get(), 1) != 0 ||
            ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0)
            throw_errno("listening");
        send(std::as_bytes(std::span(&bound.sin6_port, 1)), 1);
        Descriptor socket(::accept(listener.get(), nullptr, nullptr));
        if (socket.get() < 0) throw_errno("accepting");
        return socket;
    }
    static Descriptor call(const std::string& address) {
        in_port_t port = 0;
        recv(std::as_writable_bytes(std::span(&port, 1)), 0);
        const Addresses peer = resolve(address, ntohs(port));
        Descriptor socket = open_socket(*peer);
        if (::connect(socket.get(), peer->ai_addr, peer->ai_addrlen) != 0) throw_errno("calling");
        return socket;
    }
    static std::size_t moved(ssize_t result) {
        if (result > 0) return static_cast<std::size_t>(result);
        if (result == 0 || errno != EAGAIN) throw_errno("plain socket");
        return 0;
    }

    Descriptor socket_;
};

template <class Way>
void rounds(Way& way, bool first, const Load& load, std::span<std::byte> buffer, int count) {
    const auto message = buffer.first(load.bytes);
    const auto answer = load.window == 1 ? message : buffer.first(4);
    for (int i = 0; i < count; ++i) {
        if (first) {
            way.send_all(message, load.window);
            way.receive_all(answer, 1);
        } else {
            way.receive_all(message, load.window);
            way.send_all(answer, 1);
        }
    }
}

/// One turn: microseconds one way, or MB/s.
template <class Way>
double turn(const World& world, Way& way, const Load& load, std::span<std::byte> buffer) {
    constexpr double guess_us = 8, guess_bytes_per_us = 2500;
    const double round_us =
        static_cast<double>(load.window) * (guess_us + static_cast<double>(load.bytes) / guess_bytes_per_us);
    const int count = std::max(1, static_cast<int>(kTurnSeconds * 1e6 / round_us));
    world.barrier();
    rounds(way, world.rank() == 0, load, buffer, std::max(1, count / 10));
    const Stopwatch watch;
    rounds(way, world.rank() == 0, load, buffer, count);
    const double us = watch.elapsed_us() / count;
    return load.window == 1 ? us / 2 : static_cast<double>(load.bytes * load.window) / us;
}

std::vector<Load> loads_of(const std::vector<std::size_t>& sizes) {
    std::vector<Load> loads;
    for (const std::size_t bytes : sizes) {
        loads.push_back({fmt::format("latency {} B", bytes), bytes, 1});
        loads.push_back({fmt::format("bandwidth {} B", bytes), bytes, 64});
    }
    return loads;
}

void compare(const World& world, Plain& plain, const Load& load, std::span<std::byte> buffer, int turns) {
    Mpi mpi(1 - world.rank());
    std::vector<double> of_plain, of_mpi, ratios;
    for (int i = 0; i < turns; ++i) {
        of_plain.push_back(turn(world, plain, load, buffer));
        of_mpi.push_back(turn(world, mpi, load, buffer));
        ratios.push_back(load.window == 1 ? of_plain.back() / of_mpi.back()
                                          : of_mpi.back() / of_plain.back());
    }
    if (world.rank() != 0) return;
    rb2::command::print(fmt::format("{:<18}{:>10.2f}{:>10.2f} {:<5}{:>8.2f}{:>8.2f}{:>8.2f}\n", load.name,
                                    median(of_plain), median(of_mpi), load.window == 1 ? "us" : "MB/s",
                                    median(ratios), percentile(ratios, 0.25), percentile(ratios, 0.75)));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Compares MPI between two ranks with a plain socket between the same two, by turns",
                 "tcp_beside");
    std::string address, congestion, only;
    int turns = 25;
    std::vector<std::size_t> sizes;
    app.add_option("address", address, "numeric address of rank 0")->required();
    app.add_option("-r,--turns", turns, "turns of each way of which the median counts")
        ->check(CLI::Range(1, 1000));
    app.add_option("--congestion", congestion,
                   "congestion control of the plain socket; default: the system's");
    app.add_option("--only", only, "only the rows whose name contains this");
    app.add_option("--bytes", sizes, "latency and bandwidth of these message sizes instead")
        ->delimiter(',')
        ->check(CLI::Range(std::size_t{4}, kLongest));
    const auto work = [&] {
        const World world(&argc, &argv);
        if (world.size() != 2) throw std::invalid_argument("needs two ranks");
        Plain plain(world, address, congestion);
        const PageBuffer buffer(kLongest);
        if (world.rank() == 0)
            rb2::command::print(fmt::format("{:<18}{:>10}{:>10} {:<5}{:>8}{:>16}\n", "#", "plain", "MPI", "",
                                            "ratio", "its quartiles"));
        for (const Load& load : sizes.empty() ? kGoals : loads_of(sizes)) {
            if (load.name.find(only) != std::string::npos)
                compare(world, plain, load, buffer.first(kLongest), turns);
        }
        return EXIT_SUCCESS;
    };
    return rb2::command::run(app, argc, argv, work, rb2::command::kUsageError);
}
