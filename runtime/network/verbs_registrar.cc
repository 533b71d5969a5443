#include "runtime/network/verbs_registrar.hpp"

#include <algorithm>
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
    [[nodiscard]] fabric::Key key(std::size_t rail) const noexcept override {
        return registrations()[rail].local_key;
    }
    [[nodiscard]] Place place() const noexcept override {
        Place place{.address = address_};
        std::ranges::transform(registrations(), place.keys.begin(), &fabric::verbs::Registration::remote_key);
        return place;
    }

  private:
    [[nodiscard]] const DeviceRegistrar::Registrations& registrations() const noexcept {
        return *static_cast<const DeviceRegistrar::Registrations*>(lease_.handle());
    }

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
    auto made = std::unique_ptr<Registrations>(new (std::nothrow) Registrations);
    if (made == nullptr) return Status::out_of_memory;
    for (std::size_t rail = 0; rail < devices_.size(); ++rail) {
        const Status status = devices_[rail]->try_register(
            {data, memory.size()}, source ? Access::source : Access::all, (*made)[rail]);
        if (status == Status::ok) continue;
        give_back(*made);
        return status;
    }
    out = {made->front().local_key, made->front().remote_key, made.release()};
    return Status::ok;
}

void DeviceRegistrar::remove(const registration::Registration& gone) noexcept {
    const std::unique_ptr<Registrations> registrations(static_cast<Registrations*>(gone.handle));
    give_back(*registrations);
}

void DeviceRegistrar::give_back(const Registrations& registrations) noexcept {
    for (std::size_t rail = 0; rail < devices_.size(); ++rail)
        if (registrations[rail].region != nullptr) devices_[rail]->deregister(registrations[rail]);
}

VerbsRegistrar::VerbsRegistrar(VerbsRails& rails, const registration::Options& options)
    : registrar_(rails.all()), cache_(registrar_, options) {}

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
        DeviceRegistrar registrar({&device});
        const std::string identity = size::device_identity(device.name(), device.attributes().fw_ver);
        measured = size::critical_size(registrar, identity);
    }
    return choose_direct(choices.direct_bytes, kept, measured).from;
}

}  // namespace rb2::network
