#pragma once
// Sockets, also for a process that has used up its limit of open files.

#include <string>

#include "runtime/fabric/tcp/ip_address.hpp"
#include "runtime/memory/descriptor.hpp"

namespace rb2::fabric::tcp {

/// A socket of `type` (SOCK_STREAM, with flags), closed on exec. Where the soft limit of open files is
/// reached it is raised. None (-1): errno says why.
[[nodiscard]] memory::Descriptor open_socket(Family family, int type) noexcept;

/// Raises the soft limit of open files to the hard one. False, with the errno there was, if there is nothing
/// to raise. Only where a job would end otherwise: programs that call select() rely on a soft limit of 1024.
bool raise_descriptor_limit() noexcept;

/// Whether the process, or the system, has no descriptor left.
[[nodiscard]] bool out_of_descriptors(int error) noexcept;

/// An errno for people, with what to try.
[[nodiscard]] std::string describe_error(int error);

}  // namespace rb2::fabric::tcp
