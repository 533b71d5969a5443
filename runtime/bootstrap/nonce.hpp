#pragma once
// The 128-bit number in the names of a job's shared-memory segments.

#include <string>
#include <string_view>

#include "runtime/bootstrap/environment.hpp"

namespace rb2::bootstrap {

/// 32 random hexadecimal digits from the kernel. Throws StartupError.
[[nodiscard]] std::string random_nonce();

[[nodiscard]] bool is_nonce(std::string_view text) noexcept;

/// RB2_JOB_NONCE when rb2run set it for the job `pmix_namespace` (it puts the first eight digits into the
/// namespace), so that rb2run can sweep by it. Otherwise, also when the variable was inherited from a job
/// around this one, a random one of this rank's own: names travel in cards, they need not be predictable.
/// Throws StartupError when the variable belongs to this job but is malformed.
[[nodiscard]] std::string choose_nonce(const EnvironmentLookup& lookup, std::string_view pmix_namespace);

}  // namespace rb2::bootstrap
