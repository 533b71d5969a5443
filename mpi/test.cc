// The test forms. Each that finds nothing complete makes progress once, so that a loop over it gets
// somewhere.

#include "mpi/completion.hpp"
#include "mpi/define.hpp"

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Test, MPI_Request* request, int* flag, MPI_Status* status) {
    RequestObject* const object = find_request(*request);
    *flag = 1;
    if (object == nullptr) [[unlikely]] {
        if (*request != MPI_REQUEST_NULL) return fail_request("MPI_Test", *request);
        set_empty_status(status);
        return require_running("MPI_Test");
    }
    if (!object->complete()) engine().poll();
    if (object->complete()) return finish("MPI_Test", *object, *request, status);
    *flag = 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Testall, int count, MPI_Request array_of_requests[], int* flag,
               MPI_Status array_of_statuses[]) {
    const int error = check_requests("MPI_Testall", count, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    if (!all_complete(count, array_of_requests)) engine().poll();
    *flag = all_complete(count, array_of_requests) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    return wait_for_all("MPI_Testall", count, array_of_requests, array_of_statuses);
}

RB2_MPI_DEFINE(int, Testany, int count, MPI_Request array_of_requests[], int* index, int* flag,
               MPI_Status* status) {
    const int error = check_requests("MPI_Testany", count, array_of_requests);
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
    return finish("MPI_Testany", *find_request(array_of_requests[first]), array_of_requests[first], status);
}

RB2_MPI_DEFINE(int, Testsome, int incount, MPI_Request array_of_requests[], int* outcount,
               int array_of_indices[], MPI_Status array_of_statuses[]) {
    const int error = check_requests("MPI_Testsome", incount, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    *outcount = MPI_UNDEFINED;
    if (count_active(incount, array_of_requests) == 0) return MPI_SUCCESS;
    if (first_complete(incount, array_of_requests) < 0) engine().poll();
    return finish_some("MPI_Testsome", incount, array_of_requests, outcount, array_of_indices,
                       array_of_statuses);
}
