#pragma once
// What the PMIx library calls in the launcher, on its progress thread.

#include <pmix_server.h>

#include "launcher/pmix/rank_events.hpp"

namespace rb2::launcher {

/// The function table for PMIx_server_init; it lives for ever. From now on events go to `events`.
[[nodiscard]] pmix_server_module_t* upcall_table(RankEventQueue& events);

}  // namespace rb2::launcher
