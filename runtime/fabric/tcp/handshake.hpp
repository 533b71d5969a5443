#pragma once
// One connection on its way to being trusted. Both roles; non-blocking; reads exactly the messages of the
// handshake, so that frames behind them stay in the socket.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/fabric/tcp/handshake_messages.hpp"
#include "runtime/fabric/tcp/options.hpp"
#include "runtime/fabric/tcp/poller.hpp"

namespace rb2::fabric::tcp {

class Handshake;

/// Whoever waits for a handshake. Each call may take the handshake away and retire it.
class HandshakeOwner {
  public:
    /// Acceptor: a peer has proved itself. Answer with welcome(), now or later.
    virtual void proved(Handshake& handshake) = 0;
    /// Both know that the other is who it says, and the connection is used.
    virtual void trusted(Handshake& handshake) = 0;
    /// `cause` says what happened, in words. `stranger`: it was not a peer of this job.
    virtual void failed(Handshake& handshake, std::string cause, bool stranger) = 0;

  protected:
    ~HandshakeOwner() = default;
};

class Handshake final : public Watched {
    struct Made {};  // keeps the constructor to accept() and call()

  public:
    Handshake(Made, const Options& options, Poller& poller, HandshakeOwner& owner, Descriptor socket,
              const SocketAddress& address, bool calls)
        : options_(&options),
          poller_(&poller),
          owner_(&owner),
          socket_(std::move(socket)),
          address_(address),
          calls_(calls) {}

    /// Acceptor: challenges whoever is at `socket`.
    static std::unique_ptr<Handshake> accept(const Options& options, Poller& poller, HandshakeOwner& owner,
                                             Descriptor socket, const SocketAddress& from);
    /// Connector: calls `peer`, which may take `patience` to answer once its kernel has taken the call. Null,
    /// and why, when the kernel here refuses at once.
    static std::unique_ptr<Handshake> call(const Options& options, Poller& poller, HandshakeOwner& owner,
                                           std::uint32_t peer, const Target& target,
                                           std::chrono::milliseconds patience, std::string& why);

    void ready(std::uint32_t events) noexcept override;
    /// Acceptor, once proved(): whether the connection is used. False when it is over, being superseded or
    /// broken: retire it.
    [[nodiscard]] bool welcome(Reception reception);

    void set_owner(HandshakeOwner& owner) noexcept { owner_ = &owner; }
    [[nodiscard]] std::uint32_t peer() const noexcept { return peer_; }
    [[nodiscard]] const SocketAddress& address() const noexcept { return address_; }
    [[nodiscard]] const Greeting& peer_greeting() const noexcept {
        return calls_ ? welcome_.greeting : hello_.greeting;
    }
    /// Connector, once failed(): what the peer said about it; accepted if it said nothing.
    [[nodiscard]] Reception reception() const noexcept { return welcome_.reception; }
    [[nodiscard]] Clock::time_point since() const noexcept { return since_; }
    [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
    /// What has arrived by now counts, even if the deadline has passed while this rank did something else.
    [[nodiscard]] bool expired(Clock::time_point now) noexcept;
    /// The socket, no longer watched.
    [[nodiscard]] Descriptor release() noexcept;

  private:
    enum class Step : std::uint8_t { connecting, challenge, hello, decision, welcome, confirm, done };

    void on_connected();
    void on_challenge();
    void on_hello();
    void on_welcome();
    void advance();
    template <class Message>
    bool receive(Message& message);
    template <class Message>
    bool send(const Message& message);
    [[nodiscard]] Greeting own_greeting() const;
    void fail(std::string cause, bool stranger);

    const Options* options_;
    Poller* poller_;
    HandshakeOwner* owner_;
    Descriptor socket_;
    SocketAddress address_;
    std::uint32_t peer_ = 0;
    bool calls_;
    Step step_ = Step::connecting;
    std::size_t got_ = 0;  ///< bytes of the message that is being received
    Clock::time_point since_ = Clock::now();
    Clock::time_point deadline_{};
    std::chrono::milliseconds patience_{};
    Challenge challenge_{};
    Hello hello_{};
    Welcome welcome_{};
    Confirm confirm_{};
};

}  // namespace rb2::fabric::tcp
