#pragma once
// The transport of one host: an in-place ring pair to every peer, a futex doorbell for each.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pt2pt/transport.hpp"
#include "runtime/fabric/shm/single_copy.hpp"
#include "runtime/mesh/mesh.hpp"
#include "runtime/ring/channel.hpp"
#include "runtime/wait/waiter.hpp"

namespace rb2::pt2pt {

class ShmTransport {
  public:
    using Channel = ring::ShmChannel;

    /// `fail` ends the job with a text for the user; it does not return. `mesh` outlives the transport.
    ShmTransport(const mesh::Mesh& mesh, const wait::Policy& policy, std::function<void(std::string)> fail);

    [[nodiscard]] Channel& channel(int rank) noexcept {
        return *lanes_[static_cast<std::size_t>(rank)].channel;
    }

    void notify(int rank) noexcept { wait::ring(*lanes_[static_cast<std::size_t>(rank)].doorbell); }

    [[nodiscard]] bool can_offer(int rank) const noexcept {
        return may_reach_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] bool pull(int rank, std::span<std::byte> to, std::uint64_t address) noexcept {
        return single_copies_[static_cast<std::size_t>(rank)].read(to, address);
    }

    template <class Poll, class BeforeSleep, class Gate = wait::NoGate>
    void idle(Poll&& poll, BeforeSleep&& before_sleep, Gate&& gate = {}) {
        waiter_.idle(
            poll,
            [&] {
                release_credits();
                return before_sleep();
            },
            gate);
    }
    void busy() noexcept { waiter_.busy(); }

    [[nodiscard]] bool departed(int rank) const noexcept {
        // Acquire: whatever the rank sent before it left is in the ring now.
        return phases_[static_cast<std::size_t>(rank)]->load(std::memory_order_acquire) ==
               mesh::Phase::finalizing;
    }
    [[noreturn]] void forsaken(std::string text);

    [[noreturn]] void protocol_error(int rank, std::string_view what);
    [[noreturn]] void peer_lost(int rank);

  private:
    /// Before sleeping: senders may wait for room that was used up but not reported yet.
    void release_credits();

    struct Lane {
        std::unique_ptr<Channel> channel;  // null for the own rank
        wait::Doorbell* doorbell = nullptr;
    };

    std::vector<Lane> lanes_;  // by world rank
    std::vector<const std::atomic<mesh::Phase>*> phases_;
    std::vector<bool> may_reach_;  // the peer's process ids are ours, so it can name this process
    std::vector<fabric::shm::SingleCopy> single_copies_;
    wait::Waiter waiter_;
    std::function<void(std::string)> fail_;
};

}  // namespace rb2::pt2pt
