#pragma once
// The listening sockets, and those that knock there until they have proved to be of this job. However many
// knock, and whatever they say or do not say, they cost a bounded table and a bounded part of each round.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/fabric/tcp/handshake.hpp"
#include "runtime/fabric/tcp/notices.hpp"
#include "runtime/fabric/tcp/options.hpp"
#include "runtime/fabric/tcp/poller.hpp"

namespace rb2::fabric::tcp {

/// Takes in whoever has proved itself.
class Host {
  public:
    virtual void visited(std::unique_ptr<Handshake> handshake) = 0;

  protected:
    ~Host() = default;
};

class Doorman final : private HandshakeOwner {
  public:
    /// Listens. All outlive it. Throws StartupError naming the address.
    Doorman(const Options& options, Poller& poller, Notices& notices, Host& host);
    Doorman(const Doorman&) = delete;
    Doorman& operator=(const Doorman&) = delete;
    ~Doorman();

    /// Where it listens, in the order of Options::listen_on.
    [[nodiscard]] const std::vector<SocketAddress>& addresses() const noexcept { return addresses_; }
    void tick(Clock::time_point now);
    /// When tick() has something to do.
    [[nodiscard]] Clock::time_point next() const noexcept;
    [[nodiscard]] std::size_t half_open() const noexcept { return strangers_.size(); }

  private:
    /// Not sooner than this is a stranger thrown out for another's sake: a peer answers within it.
    static constexpr std::chrono::milliseconds kGrace{20};
    static constexpr int kMostAtOnce = 16;
    static constexpr int kBacklog = 4096;

    class Listener;

    void proved(Handshake& handshake) override;
    void trusted(Handshake&) override {}  // they have left by then
    void failed(Handshake& handshake, std::string cause, bool stranger) override;

    void answer(Listener& listener);
    bool answer_one(Listener& listener);
    [[nodiscard]] bool let_in(Descriptor socket, const SocketAddress& from);
    void turn_away(Listener& listener);
    void keep_spare() noexcept;
    [[nodiscard]] bool make_room();
    void close_door();
    [[nodiscard]] std::unique_ptr<Handshake> remove(const Handshake& handshake);

    const Options* options_;
    Poller* poller_;
    Notices* notices_;
    Host* host_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::vector<SocketAddress> addresses_;
    std::vector<std::unique_ptr<Handshake>> strangers_;  ///< oldest first
    Descriptor spare_;                                   ///< held back, to tell a peer that no other is left
    const Handshake* turned_away_ = nullptr;             ///< one of the strangers: has the spare one's place
    Clock::time_point closed_until_ = Clock::time_point::min();  ///< the door is shut while there is no room
};

}  // namespace rb2::fabric::tcp
