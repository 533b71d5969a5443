#include "runtime/bootstrap/host_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>

#include "runtime/status.hpp"

namespace rb2::bootstrap {
namespace {

struct stat status_of(const char* path) {
    struct stat status {};
    if (::stat(path, &status) != 0)
        throw StartupError(
            fmt::format("cannot look at {}: {}; is it mounted here?", path, std::strerror(errno)));
    return status;
}

/// "c0ffee00-0123-..." to 16 bytes.
std::array<std::uint8_t, 16> read_boot_id() {
    constexpr const char* path = "/proc/sys/kernel/random/boot_id";
    std::string text;
    std::ifstream(path) >> text;
    std::erase(text, '-');
    std::array<std::uint8_t, 16> id{};
    if (text.size() != 2 * id.size())
        throw StartupError(fmt::format("{} reads '{}': not a boot id", path, text));
    for (std::size_t i = 0; i < id.size(); ++i) std::from_chars(&text[2 * i], &text[2 * i + 2], id.at(i), 16);
    return id;
}

}  // namespace

HostIdentity this_host() {
    HostIdentity host;
    host.boot_id = read_boot_id();
    host.pid_namespace = status_of("/proc/self/ns/pid").st_ino;
    host.ipc_namespace = status_of("/proc/self/ns/ipc").st_ino;
    host.mount_namespace = status_of("/proc/self/ns/mnt").st_ino;
    host.user_namespace = status_of("/proc/self/ns/user").st_ino;
    host.network_namespace = status_of("/proc/self/ns/net").st_ino;
    const struct stat shm = status_of("/dev/shm");
    host.shm_device = shm.st_dev;
    host.shm_inode = shm.st_ino;
    ::gethostname(host.host_name.data(),
                  host.host_name.size() - 1);  // a longer name is cut: it is for reading only
    return host;
}

bool same_shared_memory(const HostIdentity& a, const HostIdentity& b) noexcept {
    return a.boot_id == b.boot_id && a.shm_device == b.shm_device && a.shm_inode == b.shm_inode;
}

bool same_network_stack(const HostIdentity& a, const HostIdentity& b) noexcept {
    return a.boot_id == b.boot_id && a.network_namespace == b.network_namespace;
}

bool same_process_space(const HostIdentity& a, const HostIdentity& b) noexcept {
    return a.boot_id == b.boot_id && a.pid_namespace == b.pid_namespace &&
           a.user_namespace == b.user_namespace;
}

}  // namespace rb2::bootstrap
