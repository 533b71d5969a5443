// How many elements a received message held.

#include <limits>

#include "mpi/datatype.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/status.hpp"

namespace rb2::mpi {

int elements_in(MPI_Datatype datatype) noexcept {
    for (const MPI_Datatype pair : {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                                    MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER})
        if (datatype == pair) return 2;
    return 1;
}

namespace {

/// MPI_UNDEFINED when the bytes are no whole number of elements, or when there are more than `Count` can
/// hold.
template <class Count>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
    const std::size_t extent = extent_of(datatype);
    if (extent == kNoDatatype) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    const std::uint64_t elements = bytes_of(*status) / extent;
    const bool whole = bytes_of(*status) % extent == 0;
    const bool fits = elements <= static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
    *count = whole && fits ? static_cast<Count>(elements) : static_cast<Count>(MPI_UNDEFINED);
    return MPI_SUCCESS;
}

/// Basic elements: as many as MPI_Get_count says, times those in one.
template <class Count>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
    const int error = get_count(function, status, datatype, count);
    if (error != MPI_SUCCESS || *count == MPI_UNDEFINED) return error;
    const Count each = elements_in(datatype);
    *count =
        *count > std::numeric_limits<Count>::max() / each ? static_cast<Count>(MPI_UNDEFINED) : each * *count;
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Get_count, const MPI_Status* status, MPI_Datatype datatype, int* count) {
    return get_count("MPI_Get_count", status, datatype, count);
}
RB2_MPI_DEFINE(int, Get_count_c, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    return get_count("MPI_Get_count_c", status, datatype, count);
}
RB2_MPI_DEFINE(int, Get_elements, const MPI_Status* status, MPI_Datatype datatype, int* count) {
    return get_elements("MPI_Get_elements", status, datatype, count);
}
RB2_MPI_DEFINE(int, Get_elements_c, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    return get_elements("MPI_Get_elements_c", status, datatype, count);
}
RB2_MPI_DEFINE(int, Get_elements_x, const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
    return get_elements("MPI_Get_elements_x", status, datatype, count);
}
