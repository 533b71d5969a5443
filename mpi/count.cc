// How many elements a received message held.

#include <limits>

#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/status.hpp"

namespace rb2::mpi {
namespace {

template <class Count>
Count told(std::uint64_t value) {
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
    return fits ? static_cast<Count>(value) : static_cast<Count>(MPI_UNDEFINED);
}

/// MPI_UNDEFINED when the bytes are no whole number of elements, or when there are more than `Count` can
/// hold.
template <class Count>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
    const std::size_t size = size_of(datatype);
    if (size == kNoDatatype) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    const std::uint64_t bytes = bytes_of(*status);
    if (size == 0)  // any number of elements makes no data
        *count = bytes == 0 ? 0 : static_cast<Count>(MPI_UNDEFINED);
    else
        *count = bytes % size == 0 ? told<Count>(bytes / size) : static_cast<Count>(MPI_UNDEFINED);
    return MPI_SUCCESS;
}

/// Basic elements, also of an incomplete last one; MPI_UNDEFINED when the bytes end within a basic element.
template <class Count>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
    const datatype::TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    const datatype::ElementCount found = datatype::count_elements(*map, bytes_of(*status));
    *count = found.rest == 0 ? told<Count>(found.elements) : static_cast<Count>(MPI_UNDEFINED);
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
