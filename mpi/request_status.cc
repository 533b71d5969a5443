// Looking at requests without completing them. Each call that finds nothing complete makes progress once.

#include "mpi/completion.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

/// `request` is complete, or MPI_REQUEST_NULL.
void tell(MPI_Request request, MPI_Status* status) {
    if (request == MPI_REQUEST_NULL)
        set_empty_status(status);
    else
        report(*find_request(request), status);
}

/// The same among several, where MPI_ERROR counts, too (MPI 5.0, section 3.7.5).
void tell_one_of_several(MPI_Request request, MPI_Status* status) {
    tell(request, status);
    if (status == MPI_STATUS_IGNORE) return;
    const RequestObject* const object = find_request(request);
    const bool operated = object != nullptr && object->operation != nullptr;
    status->MPI_ERROR = operated ? class_of(object->operation->info().status) : MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Request_get_status, MPI_Request request, int* flag, MPI_Status* status) {
    *flag = 1;
    if (request == MPI_REQUEST_NULL) {
        set_empty_status(status);
        return require_running("MPI_Request_get_status");
    }
    const RequestObject* const object = find_request(request);
    if (object == nullptr) return fail_request("MPI_Request_get_status", request);
    if (!object->complete()) engine().poll();
    *flag = object->complete() ? 1 : 0;
    if (*flag != 0) report(*object, status);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Request_get_status_all, int count, const MPI_Request array_of_requests[], int* flag,
               MPI_Status* array_of_statuses) {
    const int error = check_requests("MPI_Request_get_status_all", count, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    if (!all_complete(count, array_of_requests)) engine().poll();
    *flag = all_complete(count, array_of_requests) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    for (int i = 0; i < count; ++i) tell_one_of_several(array_of_requests[i], at(array_of_statuses, i));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Request_get_status_any, int count, const MPI_Request array_of_requests[], int* index,
               int* flag, MPI_Status* status) {
    const int error = check_requests("MPI_Request_get_status_any", count, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    *index = MPI_UNDEFINED;
    *flag = count_active(count, array_of_requests) == 0 ? 1 : 0;
    if (*flag != 0) {
        set_empty_status(status);
        return MPI_SUCCESS;
    }
    int first = first_complete(count, array_of_requests);
    if (first < 0) {
        engine().poll();
        first = first_complete(count, array_of_requests);
    }
    if (first < 0) return MPI_SUCCESS;
    *flag = 1;
    *index = first;
    tell(array_of_requests[first], status);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Request_get_status_some, int incount, const MPI_Request array_of_requests[],
               int* outcount, int array_of_indices[], MPI_Status* array_of_statuses) {
    const int error = check_requests("MPI_Request_get_status_some", incount, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    *outcount = MPI_UNDEFINED;
    if (count_active(incount, array_of_requests) == 0) return MPI_SUCCESS;
    if (first_complete(incount, array_of_requests) < 0) engine().poll();
    *outcount = 0;
    for (int i = 0; i < incount; ++i) {
        const RequestObject* const object = find_request(array_of_requests[i]);
        if (object == nullptr || object->inactive() || !object->complete()) continue;
        tell_one_of_several(array_of_requests[i], at(array_of_statuses, *outcount));
        array_of_indices[(*outcount)++] = i;
    }
    return MPI_SUCCESS;
}
