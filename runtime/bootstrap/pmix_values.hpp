#pragma once
// PMIx's C types as C++ values. Private to this folder: the rest of the tree never sees PMIx.

#include <pmix.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rb2::bootstrap {

/// "PARTIAL-SUCCESS (-52)"
[[nodiscard]] std::string status_text(pmix_status_t status);

/// "4.2.2rc2"
[[nodiscard]] std::string own_pmix_version();

[[nodiscard]] pmix_proc_t process_name(const char* nspace, pmix_rank_t rank);

/// An integer of any PMIx type: launchers differ in the types they use. nullopt when the key is not there.
[[nodiscard]] std::optional<std::uint32_t> get_number(const pmix_proc_t& process, const char* key);

[[nodiscard]] std::optional<std::string> get_string(const pmix_proc_t& process, const char* key);

/// A byte object. nullopt with `status` set when it is not there, also not after `patience` where PMIx waits
/// for it, or is something else.
[[nodiscard]] std::optional<std::vector<std::byte>> get_bytes(const pmix_proc_t& process, const char* key,
                                                              std::chrono::seconds patience,
                                                              pmix_status_t& status);

/// Publishes `bytes` under `key` once the caller commits.
[[nodiscard]] pmix_status_t put_bytes(const char* key, std::span<const std::byte> bytes, pmix_scope_t scope);

/// Barrier over all ranks of `nspace`. Data is always collected: without it Slurm 22.05's fence lets ranks on
/// other nodes through early.
[[nodiscard]] pmix_status_t fence_all(const char* nspace);

}  // namespace rb2::bootstrap
