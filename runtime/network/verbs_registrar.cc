#include "runtime/network/verbs_registrar.hpp"

#include <new>
#include <string>
#include <utility>

#include "runtime/memory/critical_size/critical_size.hpp"
#include "runtime/network/direct_choice.hpp"

namespace rb2::network {
namespace {

namespace registration = memory::registration;

class Leased final : public Pin {
  public:
    Leased(registration::Lease lease, std::span<const std::byte> memory) noexcept
        : lease_(std::move(lease)), address_(reinterpret_cast<std::uintptr_t>(memory.data())) {}
    [[nodiscard]] fabric::Key key() const noexcept override { return lease_.local_key(); }
    [[nodiscard]] fabric::Remote remote() const noexcept override { return {address_, lease_.remote_key()}; }

  private:
    registration::Lease lease_;
    std::uint64_t address_;
};

}  // namespace

Status DeviceRegistrar::add(std::span<const std::byte> memory, registration::Access access,
                            registration::Registration& out) noexcept {
    using fabric::verbs::Access;
    // Only sources may lie in memory that this process may not write.
    auto* data = const_cast<std::byte*>(memory.data());
    const bool source = access == registration::Access::local_read;
    fabric::verbs::Registration made;
    const Status status =
        device_.try_register({data, memory.size()}, source ? Access::source : Access::all, made);
    if (status == Status::ok) out = {made.local_key, made.remote_key, made.region};
    return status;
}

void DeviceRegistrar::remove(const registration::Registration& gone) noexcept {
    device_.deregister({.region = static_cast<ibv_mr*>(gone.handle),
                        .local_key = gone.local_key,
                        .remote_key = gone.remote_key,
                        .bytes = {}});
}

std::unique_ptr<Pin> VerbsRegistrar::pin(std::span<const std::byte> memory, Access access) noexcept {
    constexpr auto peer_writes = registration::Access::local_write | registration::Access::remote_write;
    registration::Lease lease;
    const auto wanted = access == Access::own_reads ? registration::Access::local_read : peer_writes;
    const Status status = cache_.acquire(memory, wanted, lease);
    const std::uint64_t misses = cache_.statistics().misses;
    if (std::exchange(misses_, misses) != misses) reuse_.registered(memory);
    if (status != Status::ok) return nullptr;
    return std::unique_ptr<Pin>(new (std::nothrow) Leased(std::move(lease), memory));
}

std::uint64_t direct_from(fabric::verbs::Device& device, const Choices& choices, bool kept) {
    namespace size = memory::critical_size;
    size::Result measured;
    if (choices.direct_bytes == 0) {
        DeviceRegistrar registrar(device);
        const std::string identity = size::device_identity(device.name(), device.attributes().fw_ver);
        measured = size::critical_size(registrar, identity);
    }
    return choose_direct(choices.direct_bytes, kept, measured).from;
}

}  // namespace rb2::network
