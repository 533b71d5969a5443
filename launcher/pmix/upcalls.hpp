#pragma once
// What the PMIx library calls in the launcher, on its progress thread.

#include <pmix_server.h>

#include "launcher/pmix/rank_events.hpp"

namespace rb2::launcher {

/// The function table for PMIx_server_init; it lives for ever. From now on events go to `events`.
[[nodiscard]] pmix_server_module_t* upcall_table(RankEventQueue& events);

/// The library reports a lost connection only after a second: have it do so at once. Before PMIx_server_init.
void prefer_prompt_events();

/// Has lost connections reported to `events` too. After PMIx_server_init; false if the library refuses.
[[nodiscard]] bool watch_connections();

}  // namespace rb2::launcher
