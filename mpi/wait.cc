// The wait forms.

#include "mpi/completion.hpp"
#include "mpi/define.hpp"

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Wait, MPI_Request* request, MPI_Status* status) {
    RequestObject* const object = find_request(*request);
    if (object == nullptr) [[unlikely]] {
        if (*request != MPI_REQUEST_NULL) return fail_request("MPI_Wait", *request);
        set_empty_status(status);
        return require_running("MPI_Wait");
    }
    if (!object->complete()) wait_for(*object);
    return finish("MPI_Wait", *object, *request, status);
}

RB2_MPI_DEFINE(int, Waitall, int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
    if (!accept_array(count, array_of_requests)) [[unlikely]]
        return refuse_array("MPI_Waitall", count);
    return wait_for_all("MPI_Waitall", count, array_of_requests, array_of_statuses);
}

RB2_MPI_DEFINE(int, Waitany, int count, MPI_Request array_of_requests[], int* index, MPI_Status* status) {
    const int error = check_requests("MPI_Waitany", count, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    *index = MPI_UNDEFINED;
    if (count_active(count, array_of_requests) == 0) {
        set_empty_status(status);
        return MPI_SUCCESS;
    }
    int first = first_complete(count, array_of_requests);
    if (first < 0)
        engine().wait_for_any(static_cast<std::size_t>(count),
                              [&] { return (first = first_complete(count, array_of_requests)) >= 0; });
    *index = first;
    return finish("MPI_Waitany", *find_request(array_of_requests[first]), array_of_requests[first], status);
}

RB2_MPI_DEFINE(int, Waitsome, int incount, MPI_Request array_of_requests[], int* outcount,
               int array_of_indices[], MPI_Status array_of_statuses[]) {
    const int error = check_requests("MPI_Waitsome", incount, array_of_requests);
    if (error != MPI_SUCCESS) return error;
    *outcount = MPI_UNDEFINED;
    if (count_active(incount, array_of_requests) == 0) return MPI_SUCCESS;
    if (first_complete(incount, array_of_requests) < 0)
        engine().wait_for_any(static_cast<std::size_t>(incount),
                              [&] { return first_complete(incount, array_of_requests) >= 0; });
    return finish_some("MPI_Waitsome", incount, array_of_requests, outcount, array_of_indices,
                       array_of_statuses);
}
