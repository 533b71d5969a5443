#include "runtime/bootstrap/peer_events.hpp"

#include <fmt/format.h>
#include <pmix.h>

#include <array>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "runtime/bootstrap/pmix_values.hpp"

namespace rb2::bootstrap {
namespace {

struct Watch {
    std::mutex mutex;  // held while the handler runs: forget_peers() waits for it
    std::string nspace;
    std::uint32_t own_rank = 0;
    PeerLossHandler handler;
    std::set<std::uint32_t> lost;  // one death may be told by several events
};

Watch& watch() {
    static Watch instance;
    return instance;
}

const pmix_proc_t* affected_process(std::span<const pmix_info_t> info) {
    for (const pmix_info_t& item : info)
        if (PMIX_CHECK_KEY(&item, PMIX_EVENT_AFFECTED_PROC) && item.value.type == PMIX_PROC)
            return item.value.data.proc;
    return nullptr;
}

void tell_handler(pmix_status_t status, const pmix_proc_t& process) {
    Watch& watched = watch();
    const std::lock_guard lock(watched.mutex);
    const bool other_job = watched.nspace != process.nspace;
    if (!watched.handler || other_job || process.rank == watched.own_rank) return;
    if (watched.lost.insert(process.rank).second) watched.handler({process.rank, status_text(status)});
}

/// Runs on PMIx's progress thread.
void on_event(std::size_t /*registration*/, pmix_status_t status, const pmix_proc_t* source,
              pmix_info_t info[], std::size_t info_count, pmix_info_t* /*results*/,
              std::size_t /*result_count*/, pmix_event_notification_cbfunc_fn_t done, void* done_data) {
    const pmix_proc_t* affected = affected_process({info, info_count});
    if (affected == nullptr) affected = source;  // then the dead process itself is given as the source
    if (affected != nullptr) tell_handler(status, *affected);
    if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, done_data);
}

}  // namespace

void watch_peers(const std::string& nspace, std::uint32_t own_rank, PeerLossHandler handler) {
    {
        Watch& watched = watch();
        const std::lock_guard lock(watched.mutex);
        watched.nspace = nspace;
        watched.own_rank = own_rank;
        watched.handler = std::move(handler);
        watched.lost.clear();
    }
    // Each code by name: PMIx 4.2.2's server never stores a client's handler for "all".
    std::array<pmix_status_t, 5> codes = {PMIX_ERR_PROC_ABORTED, PMIX_ERR_PROC_ABORTED_BY_SIG,
                                          PMIX_ERR_PROC_TERM_WO_SYNC, PMIX_ERR_PROC_REQUESTED_ABORT,
                                          PMIX_ERR_PROC_KILLED_BY_CMD};
    // Without a completion callback the call waits, and returns the handler's number.
    const pmix_status_t result =
        PMIx_Register_event_handler(codes.data(), codes.size(), nullptr, 0, on_event, nullptr, nullptr);
    if (result < 0)
        throw StartupError(
            fmt::format("rank {} cannot register for news of lost peers: {}", own_rank, status_text(result)));
}

void forget_peers() noexcept {
    Watch& watched = watch();
    const std::lock_guard lock(watched.mutex);
    watched.handler = nullptr;
}

}  // namespace rb2::bootstrap
