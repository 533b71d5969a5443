#pragma once
// Users' memory, registered with an RDMA device and kept so (runtime/memory/registration).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/fabric/verbs/device.hpp"
#include "runtime/memory/registration/cache.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/reuse.hpp"
#include "runtime/network/verbs_rails.hpp"

namespace rb2::network {

/// What the cache registers with: all memory with all of the devices, so that whoever finds it registered has
/// a key for each.
class DeviceRegistrar final : public memory::registration::Registrar {
  public:
    /// What the handle of a registration points to: by rail.
    using Registrations = std::array<fabric::verbs::Registration, kMostRails>;

    explicit DeviceRegistrar(std::vector<fabric::verbs::Device*> devices) : devices_(std::move(devices)) {}

    Status add(std::span<const std::byte> memory, memory::registration::Access access,
               memory::registration::Registration& out) noexcept override;
    void remove(const memory::registration::Registration& gone) noexcept override;

  private:
    void give_back(const Registrations& registrations) noexcept;

    std::vector<fabric::verbs::Device*> devices_;
};

/// One for all peers: what is registered is so for the whole of the devices.
class VerbsRegistrar final : public Registrar {
  public:
    VerbsRegistrar(VerbsRails& rails, const memory::registration::Options& options);

    [[nodiscard]] bool keeps() const noexcept { return cache_.keeps(); }
    std::unique_ptr<Pin> pin(std::span<const std::byte> memory, Access access) noexcept override;
    bool earned(std::span<const std::byte> memory, std::uint64_t worth) const noexcept override {
        return keeps() && reuse_.earned(memory, worth);
    }
    void copied(std::span<const std::byte> memory) noexcept override { reuse_.copied(memory); }

  private:
    DeviceRegistrar registrar_;
    memory::registration::Cache cache_;
    Reuse reuse_;
    std::uint64_t misses_ = 0;  ///< of the cache
};

/// From which size on messages are written directly. Where nobody has measured this host and device yet, it
/// is done now. `kept`: registrations are.
[[nodiscard]] std::uint64_t direct_from(fabric::verbs::Device& device, const Choices& choices, bool kept);

}  // namespace rb2::network
