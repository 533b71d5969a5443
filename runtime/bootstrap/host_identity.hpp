#pragma once
// Which machine, and which part of it, a process lives in.

#include <array>
#include <cstdint>
#include <type_traits>

namespace rb2::bootstrap {

/// Enough to tell whether two processes can share memory, and to name the host in an error.
/// Fixed width, standard layout: travels inside a Card.
struct HostIdentity {
    std::array<std::uint8_t, 16> boot_id{};  ///< /proc/sys/kernel/random/boot_id: one running kernel
    std::uint64_t pid_namespace = 0;         ///< inode numbers of /proc/self/ns/*
    std::uint64_t ipc_namespace = 0;
    std::uint64_t mount_namespace = 0;
    std::uint64_t user_namespace = 0;
    std::uint64_t network_namespace = 0;
    std::uint64_t shm_device =
        0;  ///< st_dev and st_ino of /dev/shm: the same directory, whatever the namespaces
    std::uint64_t shm_inode = 0;
    std::array<char, 64> host_name{};  ///< for people only, zero-terminated, never compared
};
static_assert(std::is_standard_layout_v<HostIdentity> && std::is_trivially_copyable_v<HostIdentity>);
static_assert(sizeof(HostIdentity) == 136);

/// Identity of the calling process. Throws StartupError when /proc or /dev/shm cannot be read.
[[nodiscard]] HostIdentity this_host();

/// Both see the same kernel and the same /dev/shm directory, so one can map what the other creates there.
/// Host names do not count: two nodes may share one, and one node may show two.
[[nodiscard]] bool same_shared_memory(const HostIdentity& a, const HostIdentity& b) noexcept;

/// Both have the same network addresses: one kernel, one network namespace.
[[nodiscard]] bool same_network_stack(const HostIdentity& a, const HostIdentity& b) noexcept;

/// Also in one pid and user namespace: process ids of one mean the same to the other, so that
/// process_vm_readv and kill can reach it.
[[nodiscard]] bool same_process_space(const HostIdentity& a, const HostIdentity& b) noexcept;

}  // namespace rb2::bootstrap
