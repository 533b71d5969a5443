#pragma once
// PMIx events that tell of a peer's death.

#include <string>

#include "runtime/bootstrap/session.hpp"

namespace rb2::bootstrap {

/// Registers for the events with PMIx; `nspace` and `own_rank` are of this process. One round trip to the
/// launcher. PMIx hands the handler no data of ours, so there is one slot per process, as there is one PMIx
/// per process. Throws StartupError.
void watch_peers(const std::string& nspace, std::uint32_t own_rank, PeerLossHandler handler);

/// No call of the handler happens after this returns. Harmless when nothing was registered.
void forget_peers() noexcept;

}  // namespace rb2::bootstrap
