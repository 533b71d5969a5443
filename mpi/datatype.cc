// What a datatype is: size and bounds.

#include "mpi/datatype.hpp"

#include <limits>

#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

std::size_t size_of(MPI_Datatype datatype) noexcept {
    const datatype::TypeMap* const map = map_of(datatype);
    return map != nullptr ? map->size() : kNoDatatype;
}

namespace {

using datatype::TypeMap;

/// MPI_UNDEFINED for what the form's type cannot hold (MPI 5.0, section 5.1.5).
template <class Count>
Count told(std::int64_t value) {
    const bool fits =
        value >= std::numeric_limits<Count>::min() && value <= std::numeric_limits<Count>::max();
    return fits ? static_cast<Count>(value) : static_cast<Count>(MPI_UNDEFINED);
}

template <class Count>
int type_size(const char* function, MPI_Datatype datatype, Count* size) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    const TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    *size = told<Count>(static_cast<std::int64_t>(map->size()));
    return MPI_SUCCESS;
}

int get_extent(const char* function, MPI_Datatype datatype, std::int64_t* lower_bound, std::int64_t* extent) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    const TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    *lower_bound = map->lower_bound();
    *extent = map->extent();
    return MPI_SUCCESS;
}

int get_true_extent(const char* function, MPI_Datatype datatype, std::int64_t* lower_bound,
                    std::int64_t* extent) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    const TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    *lower_bound = map->true_lower_bound();
    *extent = map->true_extent();
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
RB2_MPI_DEFINE(int, Type_size_x, MPI_Datatype datatype, MPI_Count* size) {
    return type_size("MPI_Type_size_x", datatype, size);
}
RB2_MPI_DEFINE(int, Type_get_extent, MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
    return get_extent("MPI_Type_get_extent", datatype, lb, extent);
}
RB2_MPI_DEFINE(int, Type_get_extent_c, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
    return get_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}
RB2_MPI_DEFINE(int, Type_get_extent_x, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
    return get_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}
RB2_MPI_DEFINE(int, Type_get_true_extent, MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
    return get_true_extent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}
RB2_MPI_DEFINE(int, Type_get_true_extent_c, MPI_Datatype datatype, MPI_Count* true_lb,
               MPI_Count* true_extent) {
    return get_true_extent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}
RB2_MPI_DEFINE(int, Type_get_true_extent_x, MPI_Datatype datatype, MPI_Count* true_lb,
               MPI_Count* true_extent) {
    return get_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}
