#include "mpi/datatype.hpp"

#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

std::size_t size_of(MPI_Datatype datatype) noexcept {
    if (datatype == MPI_DOUBLE_INT) return sizeof(double) + sizeof(int);
    if (datatype == MPI_LONG_INT) return sizeof(long) + sizeof(int);
    if (datatype == MPI_SHORT_INT) return sizeof(short) + sizeof(int);
    if (datatype == MPI_LONG_DOUBLE_INT) return sizeof(long double) + sizeof(int);
    return extent_of(datatype);
}

namespace {

template <class Count>
int type_size(const char* function, MPI_Datatype datatype, Count* size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (size_of(datatype) == kNoDatatype) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    *size = static_cast<Count>(size_of(datatype));
    return MPI_SUCCESS;
}

template <class Count>
int type_get_extent(const char* function, MPI_Datatype datatype, Count* lb, Count* extent) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (extent_of(datatype) == kNoDatatype) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    *lb = 0;
    *extent = static_cast<Count>(extent_of(datatype));
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_size, MPI_Datatype datatype, int* size) {
    return type_size("MPI_Type_size", datatype, size);
}
RB2_MPI_DEFINE(int, Type_size_c, MPI_Datatype datatype, MPI_Count* size) {
    return type_size("MPI_Type_size_c", datatype, size);
}
RB2_MPI_DEFINE(int, Type_get_extent, MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
    return type_get_extent("MPI_Type_get_extent", datatype, lb, extent);
}
RB2_MPI_DEFINE(int, Type_get_extent_c, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
    return type_get_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}
