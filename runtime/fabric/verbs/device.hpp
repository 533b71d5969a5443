#pragma once
// An opened RDMA device: one port, one protection domain for all endpoints of the rank, and the memory that
// is registered in it.

#include <infiniband/verbs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/verbs/card.hpp"
#include "runtime/fabric/verbs/options.hpp"
#include "runtime/fabric/verbs/owned.hpp"

namespace rb2::fabric::verbs {

/// What the peer, or this side's card, may do to registered memory.
enum class Access : std::uint8_t {
    source,  ///< only be sent from; for memory that this process may not write
    all,     ///< written and read by the peer, filled by reads of this side
};

/// Memory known to the card. Plain data: whoever has it gives it back by deregister(), once.
struct Registration {
    ibv_mr* region = nullptr;
    Key local_key = 0;   ///< for Source and Sink
    Key remote_key = 0;  ///< for Remote
    std::span<std::byte> bytes;
};

class Device;

/// Registered memory that deregisters itself. The device outlives it. Local and remote key may differ: key()
/// is the local one.
class Region {
  public:
    Region(Device& device, const Registration& registration) noexcept
        : device_(&device), registration_(registration) {}
    Region(Region&& other) noexcept;
    Region& operator=(Region&& other) noexcept;
    ~Region();

    [[nodiscard]] Key key() const noexcept { return registration_.local_key; }
    [[nodiscard]] Remote remote() const noexcept {
        return {reinterpret_cast<std::uintptr_t>(registration_.bytes.data()), registration_.remote_key};
    }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return registration_.bytes; }

  private:
    Device* device_;
    Registration registration_;
};

/// Not movable: everything made on it refers to it. Registering may be done by several threads at a time.
class Device {
    struct Opened;

  public:
    /// Opens the nearest port that is active and that the options allow. Throws StartupError naming what
    /// there is and what to try.
    explicit Device(const Options& options = {});
    /// Opens all ports that choose_ports() says, best first. All but the first offer one GID to peers. Throws
    /// StartupError likewise.
    [[nodiscard]] static std::vector<std::unique_ptr<Device>> open_rails(const Options& options);
    /// Of open_rails().
    Device(const Options& options, Opened&& opened);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// ok; out_of_memory: the kernel or the card has no room, or memory may not be locked (use a copy);
    /// invalid_argument: the range is empty or not this process's memory.
    Status try_register(std::span<std::byte> bytes, Access access, Registration& made) noexcept;
    void deregister(const Registration& registration) noexcept;
    /// As try_register() with Access::all. Throws StartupError. Start-up only.
    [[nodiscard]] Region register_memory(std::span<std::byte> bytes);

    /// The registered memory that `key` names; empty when there is none.
    [[nodiscard]] std::span<std::byte> registered(Key key) const noexcept;
    /// Changes whenever memory is deregistered: what registered() said before may be out of date.
    [[nodiscard]] std::uint64_t generation() const noexcept {
        // Acquire: a range looked up after it is not older than it.
        return generation_.load(std::memory_order_acquire);
    }

    [[nodiscard]] const Address& address() const noexcept { return address_; }
    /// The table entry of the n-th GID of address().
    [[nodiscard]] const GidEntry& gid(std::size_t n) const noexcept { return gids_[n]; }
    [[nodiscard]] const Options& options() const noexcept { return options_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::uint8_t port() const noexcept { return port_; }
    [[nodiscard]] std::size_t max_message_bytes() const noexcept { return max_message_bytes_; }
    [[nodiscard]] bool has_atomics() const noexcept { return attributes_.atomic_cap != IBV_ATOMIC_NONE; }
    [[nodiscard]] const ibv_device_attr& attributes() const noexcept { return attributes_; }
    /// Whether memory stays registered across a fork of this process; if not, what the kernel said is in
    /// describe().
    [[nodiscard]] bool fork_safe() const noexcept { return fork_error_ == 0; }
    /// One line: device, port, link, MTU, GIDs.
    [[nodiscard]] std::string describe() const;

    [[nodiscard]] ibv_context* context() const noexcept { return context_->get(); }
    [[nodiscard]] ibv_pd* protection_domain() const noexcept { return domain_.get(); }

  private:
    void take(Opened&& opened);
    void choose_mtu(int active);

    Options options_;
    int fork_error_ = 0;
    std::shared_ptr<Context> context_;  ///< of all ports of one device
    Domain domain_;
    std::string name_;
    std::uint8_t port_ = 1;
    std::size_t max_message_bytes_ = 0;
    ibv_device_attr attributes_{};
    std::vector<GidEntry> gids_;
    Address address_;
    mutable std::mutex mutex_;  ///< of registered_
    std::unordered_map<Key, std::span<std::byte>> registered_;
    std::atomic<std::uint64_t> generation_{1};
};

}  // namespace rb2::fabric::verbs
