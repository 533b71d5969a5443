#pragma once
// What memory can be registered with on this host.

#include <memory>
#include <string>
#include <vector>

#include "runtime/memory/registration/registrar.hpp"

namespace rb2::info {

/// A device opened for registering.
struct NamedRegistrar {
    std::string name;      ///< as given
    std::string identity;  ///< name and what tells its firmware: what curves are kept for
    std::unique_ptr<memory::registration::Registrar> registrar;
};

inline constexpr const char* kNoDevice = "mlock";

/// RDMA devices of this host, by name.
[[nodiscard]] std::vector<std::string> device_names();

/// "mlock" pins pages without a device. Throws StartupError naming what there is.
[[nodiscard]] NamedRegistrar open_registrar(const std::string& name);

}  // namespace rb2::info
