// Every upcall hands its news to the event loop and returns at once; PMIX_OPERATION_SUCCEEDED means "done,
// no callback follows". Entries left null answer "not supported" to the rank.
#include "launcher/pmix/upcalls.hpp"

#include <pmix.h>

#include <cstdlib>
#include <cstring>

namespace rb2::launcher {
namespace {

RankEventQueue* event_queue = nullptr;  // the C interface carries no context of ours

pmix_status_t push(RankEvent::Kind kind, const pmix_proc_t* rank, int code = 0, const char* text = nullptr) {
    event_queue->push({kind, static_cast<int>(rank->rank), code, text != nullptr ? text : ""});
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_connected(const pmix_proc_t* rank, void* /*object*/, pmix_info_t /*info*/[],
                           std::size_t /*info_count*/, pmix_op_cbfunc_t /*done*/, void* /*context*/) {
    return push(RankEvent::Kind::connected, rank);
}

pmix_status_t on_finalized(const pmix_proc_t* rank, void* /*object*/, pmix_op_cbfunc_t /*done*/,
                           void* /*context*/) {
    return push(RankEvent::Kind::finalized, rank);
}

pmix_status_t on_abort(const pmix_proc_t* rank, void* /*object*/, int code, const char text[],
                       pmix_proc_t /*targets*/[], std::size_t /*target_count*/, pmix_op_cbfunc_t /*done*/,
                       void* /*context*/) {
    return push(RankEvent::Kind::aborted, rank, code, text);
}

/// All ranks are local, so what they gave is all there is. Normally the library does not even ask.
pmix_status_t on_fence(const pmix_proc_t /*ranks*/[], std::size_t /*rank_count*/,
                       const pmix_info_t /*info*/[], std::size_t /*info_count*/, char* data,
                       std::size_t bytes, pmix_modex_cbfunc_t done, void* context) {
    char* copy = nullptr;
    if (bytes > 0) {
        copy = new char[bytes];
        std::memcpy(copy, data, bytes);
    }
    const auto release = [](void* memory) { delete[] static_cast<char*>(memory); };
    done(PMIX_SUCCESS, copy, bytes, context, release, copy);
    return PMIX_SUCCESS;
}

void on_lost_connection(std::size_t /*handler*/, pmix_status_t /*status*/, const pmix_proc_t* source,
                        pmix_info_t /*info*/[], std::size_t /*info_count*/, pmix_info_t /*results*/[],
                        std::size_t /*result_count*/, pmix_event_notification_cbfunc_fn_t done,
                        void* context) {
    (void)push(RankEvent::Kind::lost, source);
    if (done != nullptr) {
        done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, context);
    }
}

}  // namespace

pmix_server_module_t* upcall_table(RankEventQueue& events) {
    static pmix_server_module_t table{};
    event_queue = &events;
    table.client_connected2 = on_connected;
    table.client_finalized = on_finalized;
    table.abort = on_abort;
    table.fence_nb = on_fence;
    return &table;
}

void prefer_prompt_events() { ::setenv("PMIX_MCA_pmix_event_caching_window", "0", 1); }

bool watch_connections() {
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    // Without a callback of ours the call waits, and returns the handler's number or a negative status.
    return PMIx_Register_event_handler(&code, 1, nullptr, 0, on_lost_connection, nullptr, nullptr) >= 0;
}

}  // namespace rb2::launcher
