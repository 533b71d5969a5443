#include "mpi/completion.hpp"

#include <fmt/format.h>

namespace rb2::mpi {

int refuse_array(const char* function, int count) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (count < 0) return fail(MPI_ERR_COUNT, function, fmt::format("the number of requests is {}", count));
    return fail(MPI_ERR_REQUEST, function, "the array of requests is a null pointer");
}

int check_requests(const char* function, int count, const MPI_Request* requests) {
    if (!accept_array(count, requests)) return refuse_array(function, count);
    for (int i = 0; i < count; ++i)
        if (requests[i] != MPI_REQUEST_NULL && find_request(requests[i]) == nullptr)
            return fail(
                MPI_ERR_REQUEST, function,
                fmt::format("number {} of the array, {}, is no request, or one that is complete already", i,
                            show_handle(requests[i])));
    return MPI_SUCCESS;
}

namespace {

bool is_done(const RequestObject* object) noexcept {
    return object != nullptr && !object->inactive() && object->complete();
}

}  // namespace

int count_active(int count, const MPI_Request* requests) noexcept {
    int active = 0;
    for (int i = 0; i < count; ++i)
        active += requests[i] != MPI_REQUEST_NULL && !find_request(requests[i])->inactive() ? 1 : 0;
    return active;
}

int first_complete(int count, const MPI_Request* requests) noexcept {
    for (int i = 0; i < count; ++i)
        if (const RequestObject* object = find_request(requests[i]); is_done(object)) return i;
    return -1;
}

namespace {

/// finish() for a caller who asks for no status, if the request is a receive of the short way that came well
/// or a send done at once. False: nothing was done.
inline bool finish_plain(RequestObject& object, MPI_Request& handle) noexcept {
    if (object.plain) {
        const pt2pt::Request& operation = *object.operation;
        if (!operation.complete() || operation.info().status != Status::ok) return false;
        dispose_plain(object);
    } else if (&object != &shared_requests.complete_send) {
        return false;
    }
    handle = MPI_REQUEST_NULL;
    return true;
}

/// Statuses of calls on several requests carry each request's error (MPI 5.0, section 3.7.5).
int finish_one(const char* function, RequestObject& object, MPI_Request& request, MPI_Status* status) {
    const int error = finish(function, object, request, status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    return error == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

}  // namespace

int wait_for_all(const char* function, int count, MPI_Request* requests, MPI_Status* statuses) {
    int result = MPI_SUCCESS;
    for (int i = 0; i < count; ++i) {
        RequestObject* const object = find_request(requests[i]);
        if (object == nullptr) {
            if (requests[i] != MPI_REQUEST_NULL) return fail_request(function, requests[i]);
            set_empty_status(at(statuses, i));
            if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = MPI_SUCCESS;
            continue;
        }
        if (statuses == MPI_STATUSES_IGNORE && finish_plain(*object, requests[i])) continue;
        if (!object->complete()) wait_for(*object, count);
        const int error = finish_one(function, *object, requests[i], at(statuses, i));
        if (error != MPI_SUCCESS) result = error;
    }
    return result;
}

int finish_some(const char* function, int count, MPI_Request* requests, int* outcount, int* indices,
                MPI_Status* statuses) {
    int result = MPI_SUCCESS;
    *outcount = 0;
    for (int i = 0; i < count; ++i) {
        RequestObject* const object = find_request(requests[i]);
        if (!is_done(object)) continue;
        const int error = finish_one(function, *object, requests[i], at(statuses, *outcount));
        if (error != MPI_SUCCESS) result = error;
        indices[(*outcount)++] = i;
    }
    return result;
}

}  // namespace rb2::mpi
