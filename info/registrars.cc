#include "info/registrars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#ifdef RB2_HAVE_VERBS
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>

#include "runtime/fabric/verbs/owned.hpp"
#endif

#include "runtime/memory/critical_size/lock_registrar.hpp"
#include "runtime/memory/critical_size/store.hpp"
#include "runtime/status.hpp"

namespace rb2::info {
namespace {

using memory::registration::Access;
using memory::registration::Registrar;
using memory::registration::Registration;

#ifdef RB2_HAVE_VERBS

/// A device with a protection domain and nothing else: enough to time registrations. Unlike a rank's
/// fabric::verbs::Device it needs no port that works.
class DeviceRegistrar final : public Registrar {
  public:
    explicit DeviceRegistrar(ibv_device* device) : context_(::ibv_open_device(device)) {
        if (context_) domain_.reset(::ibv_alloc_pd(context_.get()));
        if (!domain_)
            throw StartupError(
                fmt::format("{}: cannot be opened: {}; look at the permissions of "
                            "/dev/infiniband, and at dmesg",
                            ::ibv_get_device_name(device), std::strerror(errno)));
    }

    [[nodiscard]] Status add(std::span<const std::byte> memory, Access access,
                             Registration& out) noexcept override {
        const int flags = access == Access::local_read
                              ? 0
                              : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
        ibv_mr* region =
            ::ibv_reg_mr(domain_.get(), const_cast<std::byte*>(memory.data()), memory.size(), flags);
        if (region == nullptr) return errno == ENOMEM ? Status::out_of_memory : Status::invalid_argument;
        out = {region->lkey, region->rkey, region};
        return Status::ok;
    }
    void remove(const Registration& registration) noexcept override {
        ::ibv_dereg_mr(static_cast<ibv_mr*>(registration.handle));
    }

    [[nodiscard]] std::string firmware() const {
        ibv_device_attr attributes{};
        return ::ibv_query_device(context_.get(), &attributes) == 0 ? attributes.fw_ver : "";
    }

  private:
    fabric::verbs::Context context_;
    fabric::verbs::Domain domain_;
};

NamedRegistrar open_device(const std::string& name) {
    int count = 0;
    const fabric::verbs::DeviceList list(::ibv_get_device_list(&count));
    for (int i = 0; i < count; ++i) {
        ibv_device* device = list[static_cast<std::size_t>(i)];
        if (name != ::ibv_get_device_name(device)) continue;
        auto registrar = std::make_unique<DeviceRegistrar>(device);
        std::string identity = memory::critical_size::device_identity(name, registrar->firmware());
        return {name, std::move(identity), std::move(registrar)};
    }
    const std::vector<std::string> names = device_names();
    throw StartupError(fmt::format(
        "there is no RDMA device {}; {}; or try {}", name,
        names.empty() ? "this machine has none" : fmt::format("there are: {}", fmt::join(names, " ")),
        kNoDevice));
}

#else

NamedRegistrar open_device(const std::string& name) {
    throw StartupError(fmt::format(
        "{} is no device here: this rb2 was built without libibverbs (Debian: libibverbs-dev); try {}", name,
        kNoDevice));
}

#endif

}  // namespace

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    std::error_code error;  // a kernel without RDMA has no such directory
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", error))
        names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

NamedRegistrar open_registrar(const std::string& name) {
    if (name == kNoDevice) return {name, name, std::make_unique<memory::critical_size::LockRegistrar>()};
    return open_device(name);
}

}  // namespace rb2::info
