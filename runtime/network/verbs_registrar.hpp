#pragma once
// Users' memory, registered with an RDMA device and kept so (runtime/memory/registration).

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/fabric/verbs/device.hpp"
#include "runtime/memory/registration/cache.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/reuse.hpp"

namespace rb2::network {

/// What the cache registers with.
class DeviceRegistrar final : public memory::registration::Registrar {
  public:
    explicit DeviceRegistrar(fabric::verbs::Device& device) noexcept : device_(device) {}

    Status add(std::span<const std::byte> memory, memory::registration::Access access,
               memory::registration::Registration& out) noexcept override;
    void remove(const memory::registration::Registration& gone) noexcept override;

  private:
    fabric::verbs::Device& device_;
};

/// One for all peers: what is registered is so for the whole device.
class VerbsRegistrar final : public Registrar {
  public:
    VerbsRegistrar(fabric::verbs::Device& device, const memory::registration::Options& options)
        : registrar_(device), cache_(registrar_, options) {}

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
