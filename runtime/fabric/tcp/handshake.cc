#include "runtime/fabric/tcp/handshake.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>

#include "runtime/fabric/tcp/congestion.hpp"
#include "runtime/fabric/tcp/sockets.hpp"

namespace rb2::fabric::tcp {
namespace {

#ifndef IP_BIND_ADDRESS_NO_PORT
inline constexpr int IP_BIND_ADDRESS_NO_PORT = 24;
#endif

void set(int fd, int level, int name, int value) noexcept {
    ::setsockopt(fd, level, name, &value, sizeof value);
}

/// A message leaves when it is written; a host that is gone is noticed though nothing is sent. No
/// TCP_USER_TIMEOUT: it would also end the connection to a peer that computes for long and reads nothing.
void tune(int fd) noexcept {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 6);
}

bool bind_to(int fd, const IpAddress& from) noexcept {
    if (from.family == Family::none) return true;
    set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    sockaddr_storage native;
    const socklen_t bytes = SocketAddress{from, 0}.to_native(native);
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&native), bytes) == 0;
}

bool begin_connect(int fd, const SocketAddress& to) noexcept {
    sockaddr_storage native;
    const socklen_t bytes = to.to_native(native);
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&native), bytes) == 0 || errno == EINPROGRESS;
}

}  // namespace

std::unique_ptr<Handshake> Handshake::accept(const Options& options, Poller& poller, HandshakeOwner& owner,
                                             Descriptor socket, const SocketAddress& from) {
    auto self = std::make_unique<Handshake>(Made{}, options, poller, owner, std::move(socket), from, false);
    const int fd = self->socket_.get();
    tune(fd);
    self->step_ = Step::hello;
    self->deadline_ = self->since_ + options.timing.stranger;
    // A new socket always has room for a message; one that has not is closed already.
    if (!random_nonce(self->challenge_.nonce) || !self->send(self->challenge_) ||
        !poller.add(fd, EPOLLIN, *self)) {
        return nullptr;
    }
    return self;
}

std::unique_ptr<Handshake> Handshake::call(const Options& options, Poller& poller, HandshakeOwner& owner,
                                           std::uint32_t peer, const Target& target,
                                           std::chrono::milliseconds patience, std::string& why) {
    Descriptor socket = open_socket(target.to.ip.family, SOCK_STREAM | SOCK_NONBLOCK);
    const int fd = socket.get();
    if (fd >= 0) use_congestion(fd, options.congestion);
    auto self =
        std::make_unique<Handshake>(Made{}, options, poller, owner, std::move(socket), target.to, true);
    self->peer_ = peer;
    self->deadline_ = self->since_ + options.timing.call;
    self->patience_ = patience;
    if (fd < 0 || !bind_to(fd, target.from) || !begin_connect(fd, target.to) ||
        !poller.add(fd, EPOLLIN | EPOLLOUT, *self)) {
        why = fmt::format("{}: {}", target.to.text(), describe_error(errno));
        return nullptr;
    }
    tune(fd);
    return self;
}

Descriptor Handshake::release() noexcept {
    step_ = Step::done;
    if (socket_.get() >= 0) poller_->remove(socket_.get());
    return std::move(socket_);
}

void Handshake::fail(std::string cause, bool stranger) {
    const Descriptor closing = release();
    owner_->failed(*this, fmt::format("{}: {}", address_.text(), cause), stranger);
}

bool Handshake::expired(Clock::time_point now) noexcept {
    if (now < deadline_ || step_ == Step::done) return false;
    if (step_ == Step::connecting || step_ == Step::decision) return step_ == Step::connecting;
    const std::size_t before = got_;
    const Step step = step_;
    advance();
    return step_ == step && got_ == before;
}

void Handshake::ready(std::uint32_t) noexcept { advance(); }

void Handshake::advance() {
    switch (step_) {
        case Step::connecting:
            return on_connected();
        case Step::challenge:
            return receive(challenge_) ? on_challenge() : void();
        case Step::hello:
            return receive(hello_) ? on_hello() : void();
        case Step::welcome:
            return receive(welcome_) ? on_welcome() : void();
        case Step::confirm:
            if (receive(confirm_)) owner_->trusted(*this);
            return;
        case Step::decision: {
            // The peer waits for us: anything readable is its end.
            char byte = 0;
            const ssize_t count = ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
            return fail("the peer withdrew its call", false);
        }
        case Step::done:
            return;
    }
}

/// True once all of it is there. Whoever does not start with the magic number is no rb2 at all; whoever hangs
/// up without a word may be a peer whose call was superseded, and is not worth a line.
template <class Message>
bool Handshake::receive(Message& message) {
    auto* const bytes = reinterpret_cast<std::byte*>(&message);
    const ssize_t count = ::recv(socket_.get(), bytes + got_, sizeof message - got_, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (count <= 0) {
        fail(count == 0 ? "closed before the handshake was over" : std::strerror(errno),
             got_ != 0 && !calls_);
        return false;
    }
    got_ += static_cast<std::size_t>(count);
    if (got_ >= sizeof message.magic && message.magic != kHandshakeMagic) {
        fail("does not speak the rb2 handshake", true);
        return false;
    }
    if (got_ < sizeof message) return false;
    got_ = 0;
    return true;
}

template <class Message>
bool Handshake::send(const Message& message) {
    return ::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(sizeof message);
}

Greeting Handshake::own_greeting() const { return options_->greet ? options_->greet(peer_) : Greeting{}; }

void Handshake::on_connected() {
    int error = 0;
    socklen_t bytes = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) return fail(std::strerror(error), false);
    step_ = Step::challenge;
    deadline_ = Clock::now() + patience_;
    poller_->change(socket_.get(), EPOLLIN, *this);
}

void Handshake::on_challenge() {
    hello_.from = options_->rank;
    hello_.to = peer_;
    hello_.greeting = own_greeting();
    if (!random_nonce(hello_.nonce)) return fail("the kernel gives no random numbers", false);
    hello_.proof = prove(options_->secret, challenge_, hello_);
    if (!send(hello_)) return fail(std::strerror(errno), false);
    step_ = Step::welcome;
}

void Handshake::on_hello() {
    if (!same(hello_.proof, prove(options_->secret, challenge_, hello_)))
        return fail("does not know the secret of this job", true);
    if (hello_.to != options_->rank)
        return fail(fmt::format("rank {} of this job looks for rank {} at the address of rank {}",
                                hello_.from, hello_.to, options_->rank),
                    false);
    peer_ = hello_.from;
    step_ = Step::decision;
    deadline_ = Clock::time_point::max();
    owner_->proved(*this);
}

bool Handshake::welcome(Reception reception) {
    welcome_.reception = reception;
    if (reception != Reception::exhausted) welcome_.greeting = own_greeting();
    welcome_.proof = prove(options_->secret, challenge_, hello_, welcome_);
    if (!send(welcome_) || reception != Reception::accepted) {
        const Descriptor closing = release();
        return false;
    }
    step_ = Step::confirm;
    deadline_ = Clock::now() + options_->timing.confirm;
    return true;
}

void Handshake::on_welcome() {
    if (!same(welcome_.proof, prove(options_->secret, challenge_, hello_, welcome_)))
        return fail("answers, but does not know the secret of this job", true);
    if (welcome_.reception == Reception::superseded) return fail("the peer uses another connection", false);
    if (welcome_.reception == Reception::refused) return fail("the peer has given this rank up", false);
    if (welcome_.reception == Reception::exhausted)
        return fail("the peer has no file descriptor left; raise the limit of open files (ulimit -n)", false);
    if (!send(confirm_)) return fail(std::strerror(errno), false);
    owner_->trusted(*this);
}

}  // namespace rb2::fabric::tcp
