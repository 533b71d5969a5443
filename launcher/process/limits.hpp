#pragma once
// Descriptor limit of the launcher.

#include <sys/resource.h>

namespace rb2::launcher {

/// Descriptors that `ranks` ranks need here: two pipes and a PMIx connection each, and our own.
[[nodiscard]] rlim_t descriptors_needed(int ranks);

/// Raises the soft limit to the hard one. Returns the limit before, for the ranks. Throws LaunchError with
/// "need X have Y" when the hard limit is too low.
rlimit raise_descriptor_limit(int ranks);

}  // namespace rb2::launcher
