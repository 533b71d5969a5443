#pragma once
// The lanes of one rank: in-place rings to the peers in shared memory with a futex doorbell for each, network
// channels to the others.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2pt/transport.hpp"
#include "runtime/fabric/shm/single_copy.hpp"
#include "runtime/mesh/mesh.hpp"
#include "runtime/network/network.hpp"
#include "runtime/ring/channel.hpp"
#include "runtime/state/own_page.hpp"
#include "runtime/wait/waiter.hpp"
#include "runtime/wait/watcher.hpp"

namespace rb2::pt2pt {

class FabricTransport {
  public:
    /// Ends the job with a text for the user, does not return. The time is the launcher's to end it by
    /// itself.
    using Fail = std::function<void(std::string, std::chrono::milliseconds)>;

    /// `mesh` outlives the transport.
    FabricTransport(mesh::Mesh& mesh, const wait::Policy& policy, Fail fail);

    [[nodiscard]] Lane lane(int rank) const noexcept { return lanes_[static_cast<std::size_t>(rank)].way; }

    [[nodiscard]] wait::Doorbell& doorbell(int rank) const noexcept {
        return *lanes_[static_cast<std::size_t>(rank)].doorbell;
    }
    void notify(int rank) noexcept { wait::ring(doorbell(rank)); }

    [[nodiscard]] int poll_fabrics() noexcept { return networks_.empty() ? 0 : poll_networks(); }

    [[nodiscard]] bool can_offer(int rank) const noexcept {
        return may_reach_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] bool pull(int rank, std::span<std::byte> to, std::uint64_t address) noexcept {
        return single_copies_[static_cast<std::size_t>(rank)].read(to, address);
    }
    [[nodiscard]] bool pull_in_halves(int rank, std::span<std::byte> to, std::uint64_t address) noexcept {
        return single_copies_[static_cast<std::size_t>(rank)].read_in_halves(
            to, address, mesh_.own_control().halves, static_cast<std::uint32_t>(rank));
    }
    [[nodiscard]] std::span<std::byte> shared_memory(int rank) const noexcept {
        return mesh_.collective_memory(static_cast<std::uint32_t>(rank));
    }
    bool help(int rank) noexcept {
        const auto index = static_cast<std::uint32_t>(rank);
        return may_reach_[index] != 0 &&
               single_copies_[index].help(mesh_.control(index).halves, mesh_.rank());
    }

    template <class Poll, class BeforeSleep, class Gate = wait::NoGate>
    void idle(Poll&& poll, BeforeSleep&& before_sleep, Gate&& gate = {}) {
        waiter_.idle(
            poll,
            [&] {
                release_credits();
                return before_sleep() || !arm_networks();
            },
            gate);
        watcher_.disarm();
    }
    void busy() noexcept { waiter_.busy(); }
    template <class Ready>
    [[nodiscard]] bool expect(Ready&& ready, std::chrono::nanoseconds longest) const noexcept {
        return waiter_.expect(ready, longest);
    }
    /// Adds the time of waits to `waited_ns` from now on.
    void count_waiting(std::uint64_t& waited_ns) noexcept { waiter_.count_in(waited_ns); }

    /// Makes the lane to a rank that has none yet, where lanes are made at first contact. Ends the job when
    /// there is no memory for it.
    void connect(int rank);
    [[nodiscard]] bool hidden(int rank);
    [[nodiscard]] bool called() const noexcept { return callers_->any() || far_callers_; }
    template <class Meet>
    void take_callers(Meet&& meet) {
        mesh_.take_callers([&](std::uint32_t rank) {
            if (channels_[rank] == nullptr) add_shared(mesh_.card(rank));
            meet(static_cast<int>(rank));
        });
        if (!std::exchange(far_callers_, false)) return;
        for (network::Network* network : networks_) {
            for (const std::uint32_t rank : network->take_callers()) {
                if (!lanes_[rank].way.connected()) {
                    mesh_.called_over(rank, *network);
                    add_network(rank, *network);
                }
                meet(static_cast<int>(rank));
            }
        }
    }

    /// Shows in `page`, which outlives the transport, what reaches each rank, from now on as it becomes
    /// known.
    void show_in(state::OwnPage& page);
    /// Ranks that this one has a lane to.
    [[nodiscard]] std::size_t met() const noexcept { return connected_.size(); }

    [[nodiscard]] bool departed(int rank) const noexcept;
    void says_bye(int rank);
    [[nodiscard]] bool quiet() noexcept;
    [[noreturn]] void forsaken(std::string text) { end_job(std::move(text)); }

    [[noreturn]] void protocol_error(int rank, std::string_view what);
    [[noreturn]] void peer_lost(int rank);

  private:
    [[noreturn]] void end_job(std::string text, std::chrono::milliseconds patience = {});
    /// Before sleeping: senders may wait for room that was used up but not reported yet.
    void release_credits();
    int poll_networks() noexcept;
    [[nodiscard]] bool arm_networks() noexcept;
    void add_shared(const bootstrap::Card& card);
    void reach(std::uint32_t rank);
    void add_network(std::uint32_t rank, network::Network& network);
    [[nodiscard]] std::string way_to(int rank) const;

    struct Way {
        Lane way;  // neither for the own rank
        wait::Doorbell* doorbell = nullptr;
    };

    mesh::Mesh& mesh_;
    const mesh::Callers* callers_;
    std::vector<Way> lanes_;                // by world rank
    std::vector<std::uint32_t> connected_;  // ranks that have a lane
    std::vector<std::unique_ptr<ring::ShmChannel>>
        channels_;  // by world rank; null where memory is not shared
    std::vector<network::Network*> networks_;
    bool far_callers_ = false;                                               // a network has some
    std::map<std::uint32_t, std::chrono::steady_clock::time_point> missed_;  // not met, but waited for
    state::OwnPage* page_ = nullptr;
    std::vector<char> said_bye_;   // network peers that told so
    std::vector<char> may_reach_;  // the peer's process ids are ours, so it can name this process
    std::vector<fabric::shm::SingleCopy> single_copies_;
    wait::Doorbell deaf_;  // of those that need no bell
    wait::Waiter waiter_;
    wait::Watcher watcher_;
    Fail fail_;
};

}  // namespace rb2::pt2pt
