// Reading and setting the fields of a status, as generalized requests and other languages need it.

#include "mpi/status.hpp"

#include <fmt/format.h>

#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

/// `count` basic elements, as MPI_Get_elements will tell them.
int set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    if (count < 0) return fail(MPI_ERR_COUNT, function, fmt::format("the count is {}", count));
    const datatype::TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    set_bytes(*status, datatype::bytes_of_elements(*map, static_cast<std::uint64_t>(count)));
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Status_set_elements, MPI_Status* status, MPI_Datatype datatype, int count) {
    return set_elements("MPI_Status_set_elements", status, datatype, count);
}
RB2_MPI_DEFINE(int, Status_set_elements_c, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    return set_elements("MPI_Status_set_elements_c", status, datatype, count);
}
RB2_MPI_DEFINE(int, Status_set_elements_x, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
    return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
RB2_MPI_DEFINE(int, Status_set_cancelled, MPI_Status* status, int flag) {
    status->MPI_internal[2] = flag != 0 ? 1 : 0;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_set_source, MPI_Status* status, int source) {
    status->MPI_SOURCE = source;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_get_source, const MPI_Status* status, int* source) {
    *source = status->MPI_SOURCE;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_set_tag, MPI_Status* status, int tag) {
    status->MPI_TAG = tag;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_get_tag, const MPI_Status* status, int* tag) {
    *tag = status->MPI_TAG;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_set_error, MPI_Status* status, int error) {
    status->MPI_ERROR = error;
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(int, Status_get_error, const MPI_Status* status, int* error) {
    *error = status->MPI_ERROR;
    return MPI_SUCCESS;
}
