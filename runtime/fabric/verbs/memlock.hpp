#pragma once
// The limit on locked memory, against which registrations and queues count.

#include <cstddef>
#include <string>

namespace rb2::fabric::verbs {

/// Raises the soft limit to the hard one. Then throws StartupError if it is below what queues alone need.
/// A process with CAP_IPC_LOCK has no limit.
void prepare_memlock();

/// One clause for an error text, after locking `bytes` was refused: the limit in force and what to try.
[[nodiscard]] std::string memlock_advice(std::size_t bytes);

}  // namespace rb2::fabric::verbs
