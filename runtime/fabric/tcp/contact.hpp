#pragma once
// How two ranks come to have one connection: this side's calls to a peer, and the peer's calls to this side.
//
// Both may call at the same time. Then the call of the lower rank counts: the higher rank accepts it and
// drops its own; the lower rank lets the other wait until its own call has succeeded (and then refuses) or
// failed (and then accepts, so that one passable direction is enough). Frames only flow once both sides have
// named the same connection, so a connection that dies before is no loss: it is called again.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/fabric/tcp/handshake.hpp"
#include "runtime/fabric/tcp/options.hpp"

namespace rb2::fabric::tcp {

/// Whoever wants the connection. Told once, and then the contact is done with; not to be destroyed in the
/// call.
class ContactOwner {
  public:
    virtual void connected(Descriptor socket, const SocketAddress& peer, const Greeting& greeting) = 0;
    virtual void unreachable(std::string cause) = 0;

  protected:
    ~ContactOwner() = default;
};

class Contact final : private HandshakeOwner {
  public:
    /// All outlive it.
    Contact(const Options& options, Poller& poller, ContactOwner& owner, std::uint32_t peer)
        : options_(&options), poller_(&poller), owner_(&owner), peer_(peer) {}
    Contact(const Contact&) = delete;
    Contact& operator=(const Contact&) = delete;
    ~Contact() { drop_all(); }

    /// This side wants to talk.
    void call();
    /// The peer calls and has proved itself.
    void called(std::unique_ptr<Handshake> handshake);
    /// Time has passed.
    void tick(Clock::time_point now);
    /// When tick() has something to do.
    [[nodiscard]] Clock::time_point next() const noexcept;
    [[nodiscard]] bool done() const noexcept { return done_; }

  private:
    void proved(Handshake&) override {}  // only accepted ones do, before they come here
    void trusted(Handshake& handshake) override;
    void failed(Handshake& handshake, std::string cause, bool stranger) override;

    void call_next();
    void call_failed();
    void pause(std::chrono::milliseconds pause);
    void take(std::unique_ptr<Handshake> handshake);
    void drop(std::unique_ptr<Handshake>& handshake);
    void drop_all();
    void give_up();

    const Options* options_;
    Poller* poller_;
    ContactOwner* owner_;
    std::uint32_t peer_;
    bool wanted_ = false;
    bool done_ = false;
    std::unique_ptr<Handshake> ours_;      ///< this side's call
    std::unique_ptr<Handshake> waiting_;   ///< the peer's, until ours is decided
    std::unique_ptr<Handshake> accepted_;  ///< the peer's, until it confirms
    std::vector<Target> targets_;
    std::size_t next_target_ = 0;
    unsigned round_ = 0;
    Clock::time_point call_at_ = Clock::time_point::max();
    std::vector<std::string> causes_;  ///< of the last round, one for each target
};

}  // namespace rb2::fabric::tcp
