#include "runtime/fabric/tcp/doorman.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "runtime/fabric/tcp/congestion.hpp"
#include "runtime/fabric/tcp/sockets.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::tcp {

class Doorman::Listener final : public Watched {
  public:
    Listener(Doorman& doorman, Descriptor socket) : doorman_(&doorman), socket_(std::move(socket)) {}
    void ready(std::uint32_t) noexcept override { doorman_->answer(*this); }
    [[nodiscard]] int fd() const noexcept { return socket_.get(); }

  private:
    Doorman* doorman_;
    Descriptor socket_;
};

namespace {

Descriptor listen_at(const SocketAddress& address, const std::string& congestion, int backlog) {
    Descriptor socket = open_socket(address.ip.family, SOCK_STREAM | SOCK_NONBLOCK);
    if (socket.get() >= 0) use_congestion(socket.get(), congestion);
    sockaddr_storage native;
    const socklen_t bytes = address.to_native(native);
    if (socket.get() < 0 || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&native), bytes) != 0 ||
        ::listen(socket.get(), backlog) != 0) {
        throw StartupError(
            fmt::format("tcp fabric: cannot listen at {} ({}); choose another interface with RB2_TCP_INCLUDE",
                        address.text(), describe_error(errno)));
    }
    return socket;
}

Descriptor accept_at(int fd, SocketAddress& from) noexcept {
    sockaddr_storage native{};
    socklen_t bytes = sizeof native;
    Descriptor socket(
        ::accept4(fd, reinterpret_cast<sockaddr*>(&native), &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() >= 0) from = SocketAddress::from_native(native);
    return socket;
}

SocketAddress bound_address(int fd) noexcept {
    sockaddr_storage native{};
    socklen_t bytes = sizeof native;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&native), &bytes);
    return SocketAddress::from_native(native);
}

}  // namespace

Doorman::Doorman(const Options& options, Poller& poller, Notices& notices, Host& host)
    : options_(&options), poller_(&poller), notices_(&notices), host_(&host) {
    for (const SocketAddress& address : options.listen_on) {
        auto listener = std::make_unique<Listener>(*this, listen_at(address, options.congestion, kBacklog));
        addresses_.push_back(bound_address(listener->fd()));
        if (!poller.add(listener->fd(), EPOLLIN, *listener))
            throw StartupError(fmt::format("tcp fabric: cannot watch {}", address.text()));
        listeners_.push_back(std::move(listener));
    }
    keep_spare();
}

Doorman::~Doorman() = default;

void Doorman::answer(Listener& listener) {
    for (int i = 0; i < kMostAtOnce; ++i) {
        if (!make_room()) return close_door();
        if (!answer_one(listener)) return;
    }
}

/// False when nobody knocks any more.
bool Doorman::answer_one(Listener& listener) {
    SocketAddress from;
    Descriptor socket = accept_at(listener.fd(), from);
    if (socket.get() >= 0) {
        static_cast<void>(let_in(std::move(socket), from));
        return true;
    }
    // One that has hung up already is no reason to stop; a process out of descriptors is.
    if (errno == ECONNABORTED || errno == EINTR) return true;
    if (errno == EMFILE && raise_descriptor_limit()) return true;
    if (out_of_descriptors(errno) || errno == ENOBUFS || errno == ENOMEM) {
        const bool none_left = out_of_descriptors(errno);
        notices_->say(fmt::format("rb2: rank {}: tcp fabric cannot accept a connection: {}", options_->rank,
                                  describe_error(errno)));
        if (none_left && spare_.get() >= 0) turn_away(listener);
        close_door();
    }
    return false;
}

/// False when it has gone already.
bool Doorman::let_in(Descriptor socket, const SocketAddress& from) {
    auto stranger = Handshake::accept(*options_, *poller_, *this, std::move(socket), from);
    if (stranger == nullptr) return false;
    strangers_.push_back(std::move(stranger));
    return true;
}

/// The next one that knocks is told, once it has proved itself, that there is no descriptor for it: it would
/// wait for an answer otherwise. One at a time.
void Doorman::turn_away(Listener& listener) {
    spare_ = Descriptor();
    SocketAddress from;
    Descriptor socket = accept_at(listener.fd(), from);
    if (socket.get() >= 0 && let_in(std::move(socket), from))
        turned_away_ = strangers_.back().get();
    else
        keep_spare();
}

/// Nobody is being turned away, or not any more.
void Doorman::keep_spare() noexcept {
    turned_away_ = nullptr;
    if (spare_.get() < 0) spare_ = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/// Whether there is room for one more, if need be after the oldest has been thrown out.
bool Doorman::make_room() {
    if (strangers_.size() < options_->half_open) return true;
    Handshake& oldest = *strangers_.front();
    if (Clock::now() - oldest.since() < kGrace) return false;
    failed(oldest, fmt::format("{}: gave no proof while others wait", oldest.address().text()), true);
    return true;
}

/// Knocks wait in the kernel meanwhile, and do not wake a sleeping rank.
void Doorman::close_door() {
    closed_until_ = Clock::now() + kGrace;
    for (const auto& listener : listeners_) poller_->change(listener->fd(), 0, *listener);
}

void Doorman::tick(Clock::time_point now) {
    if (closed_until_ != Clock::time_point::min() && now >= closed_until_) {
        closed_until_ = Clock::time_point::min();
        for (const auto& listener : listeners_) poller_->change(listener->fd(), EPOLLIN, *listener);
    }
    // All have the same time, so the oldest is the next; expired() may remove it.
    while (!strangers_.empty() && now >= strangers_.front()->deadline()) {
        Handshake& oldest = *strangers_.front();
        if (oldest.expired(now)) {
            failed(oldest, fmt::format("{}: gave no proof in time", oldest.address().text()), true);
        } else if (!strangers_.empty() && strangers_.front().get() == &oldest) {
            return;
        }
    }
}

Clock::time_point Doorman::next() const noexcept {
    Clock::time_point at = strangers_.empty() ? Clock::time_point::max() : strangers_.front()->deadline();
    if (closed_until_ != Clock::time_point::min()) at = std::min(at, closed_until_);
    return at;
}

void Doorman::proved(Handshake& handshake) {
    const bool turned_away = &handshake == turned_away_;
    std::unique_ptr<Handshake> peer = remove(handshake);
    if (!turned_away) return host_->visited(std::move(peer));
    static_cast<void>(peer->welcome(Reception::exhausted));  // closes it
    poller_->retire(std::move(peer));
    keep_spare();
}

void Doorman::failed(Handshake& handshake, std::string cause, bool stranger) {
    std::unique_ptr<Handshake> gone = remove(handshake);
    const bool turned_away = gone.get() == turned_away_;
    { const Descriptor closing = gone->release(); }
    poller_->retire(std::move(gone));
    if (turned_away) keep_spare();
    if (!stranger) return;
    notices_->say(
        fmt::format("rb2: rank {}: dropped a connection to its tcp fabric from {}", options_->rank, cause));
}

std::unique_ptr<Handshake> Doorman::remove(const Handshake& handshake) {
    const auto place = std::ranges::find(strangers_, &handshake, &std::unique_ptr<Handshake>::get);
    std::unique_ptr<Handshake> taken = std::move(*place);
    strangers_.erase(place);
    return taken;
}

}  // namespace rb2::fabric::tcp
