#pragma once
// The job as PMIx wants it described: node map, process map and one array per rank.

#include "launcher/job/job.hpp"
#include "launcher/pmix/info_list.hpp"
#include "launcher/pmix/server.hpp"

namespace rb2::launcher {

/// Everything for PMIx_server_register_nspace. Call after PMIx_server_init. Throws LaunchError.
[[nodiscard]] InfoList job_info(const Job& job, const RankCpus& cpus);

/// "0,1,2": all ranks, all on this machine.
[[nodiscard]] std::string rank_list(int size);

}  // namespace rb2::launcher
