#pragma once
// The TCP fabric of one process: one listening socket per chosen address, one event loop, an endpoint for
// each peer that is talked to. Silent peers cost nothing.
//
// progress() is to be called once per round of whatever polls the peers. What it costs when there is nothing:
// one recv() for each of the at most kMostHot connections that were busy lately, and an epoll_wait() every
// kRoundsPerWait rounds; or just the epoll_wait() when none was.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/fabric/tcp/doorman.hpp"
#include "runtime/fabric/tcp/endpoint.hpp"
#include "runtime/fabric/tcp/notices.hpp"
#include "runtime/fabric/tcp/options.hpp"
#include "runtime/fabric/tcp/poller.hpp"
#include "runtime/fabric/tcp/region_table.hpp"

namespace rb2::fabric::tcp {

/// What a process has done so far.
struct Counters {
    std::uint64_t frames = 0;    ///< posted
    std::uint64_t sends = 0;     ///< system calls that took bytes,
    std::uint64_t refusals = 0;  ///< or would have taken none
    std::uint64_t sent_bytes = 0;
    std::uint64_t receives = 0;        ///< system calls that brought bytes,
    std::uint64_t empty_receives = 0;  ///< or none
    std::uint64_t received_bytes = 0;
    std::uint64_t waits = 0;  ///< epoll_wait()
};

/// One thread at a time.
class Context final : private Host {
  public:
    static constexpr std::size_t kMostHot = 2;
    static constexpr unsigned kRoundsPerWait = 4;
    static constexpr std::uint8_t kStaysHot = 255;  ///< rounds without a byte

    /// Listens at once. Throws StartupError.
    explicit Context(Options options);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    /// Takes leave of the peers without waiting for anything: what the kernel has not been handed is lost.
    ~Context();

    /// The endpoint to that rank, which lives as long as the context.
    [[nodiscard]] Endpoint& endpoint(std::uint32_t rank);
    /// Where this process listens.
    [[nodiscard]] const std::vector<SocketAddress>& addresses() const noexcept {
        return doorman_.addresses();
    }

    /// Accepts, connects, receives and sends whatever is possible now. Whether anything was.
    bool progress() noexcept;
    /// For sleeping: readable when progress() has something to do.
    [[nodiscard]] int wait_fd() const noexcept { return poller_.fd(); }
    /// Before sleeping on wait_fd(): how long at most, in milliseconds, -1 for ever; 0: do not sleep.
    [[nodiscard]] int prepare_wait() noexcept;

    /// Bytes of all endpoints that the kernel has not taken.
    [[nodiscard]] std::uint64_t unsent() const noexcept;
    /// Sends all that was posted and says good-bye; waits until the peers have said so too, and then or at
    /// `deadline` ends. False when the deadline came first. No operation may follow.
    bool finish(Clock::time_point deadline) noexcept;

    /// Endpoints that were lost, each once, oldest first; null when there is none.
    [[nodiscard]] Endpoint* next_lost() noexcept;
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
    /// Connections that were refused so far, and those that have yet to prove themselves.
    [[nodiscard]] std::uint64_t strangers() const noexcept { return notices_.count(); }
    [[nodiscard]] std::size_t half_open() const noexcept { return doorman_.half_open(); }

  private:
    friend Endpoint;

    void visited(std::unique_ptr<Handshake> handshake) override;
    void heat(Endpoint& endpoint) noexcept;
    void cool(Endpoint& endpoint) noexcept;
    bool receive_hot() noexcept;
    bool push_unsent() noexcept;
    bool wait_if_due(bool busy) noexcept;
    void tick() noexcept;
    void list_unsent(Endpoint& endpoint) noexcept;
    [[nodiscard]] Clock::time_point next_tick() const noexcept;
    [[nodiscard]] bool all_parted() const noexcept;

    Options options_;
    Counters counters_;
    unsigned round_ = 0;
    std::array<Endpoint*, kMostHot> hot_{};
    std::size_t hot_count_ = 0;
    std::vector<Endpoint*> unsent_;
    std::vector<Endpoint*> contacting_;
    std::vector<Endpoint*> lost_;
    std::size_t lost_told_ = 0;
    std::size_t up_ = 0;  ///< connected endpoints
    RegionTable regions_;
    Notices notices_;
    Poller poller_;
    std::map<std::uint32_t, std::unique_ptr<Endpoint>> endpoints_;
    Doorman doorman_;
};

}  // namespace rb2::fabric::tcp
