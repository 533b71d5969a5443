// Commit, free and copy.

#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "mpi/datatype/construction.hpp"
#include "mpi/datatype/predefined.hpp"
#include "mpi/define.hpp"
#include "mpi/keyvals.hpp"
#include "mpi/type_attributes.hpp"

namespace rb2::mpi {
namespace {

/// Flattens the description. A copy of a committed type is committed, too, and shares the result.
int commit(const char* function, MPI_Datatype handle) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (find_predefined(handle) != nullptr) return MPI_SUCCESS;
    Type* const type = find_type(handle);
    if (type == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(handle));
    if (type->layout) return MPI_SUCCESS;
    try {
        type->layout = datatype::Layout::make(*type->map);
    } catch (const std::bad_alloc&) {
        return fail(MPI_ERR_NO_MEM, function, "no memory for the datatype's program");
    } catch (const std::overflow_error& error) {
        return fail(MPI_ERR_ARG, function, error.what());
    }
    return MPI_SUCCESS;
}

int free_type(const char* function, MPI_Datatype* handle) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    Type* const type = find_type(*handle);
    if (find_predefined(*handle) != nullptr || (type != nullptr && type->permanent))
        return fail(MPI_ERR_TYPE, function, "a predefined datatype cannot be freed");
    if (type == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(*handle));
    if (type->handles <= 1)
        if (const int code = type->attributes.remove_all(*handle); code != MPI_SUCCESS)
            return fail_callback(function, "delete", code, nullptr);
    --type->handles;
    drop_type(*handle);
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/// Where a callback refuses, there is no copy.
int copy_attributes(const char* function, MPI_Datatype from, MPI_Datatype* to) {
    AttributeSet<TypeAttributes>& copies = find_type(*to)->attributes;
    const int code = attributes_of(from)->copy_to(copies, from);
    if (code == MPI_SUCCESS) return code;
    copies.remove_all(*to);
    drop_type(*to);
    *to = MPI_DATATYPE_NULL;
    return fail_callback(function, "copy", code, nullptr);
}

int dup(const char* function, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_DUP, Form::small);
    datatype::TypeMapPtr map = call.part(oldtype);
    const int error = call.finish(newtype, [&] { return map; });
    if (error != MPI_SUCCESS) return error;
    if (const datatype::Layout* layout = layout_of(oldtype))
        find_type(*newtype)->layout = datatype::LayoutRef(layout);
    return copy_attributes(function, oldtype, newtype);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_commit, MPI_Datatype* datatype) { return commit("MPI_Type_commit", *datatype); }
RB2_MPI_DEFINE(int, Type_free, MPI_Datatype* datatype) { return free_type("MPI_Type_free", datatype); }
RB2_MPI_DEFINE(int, Type_dup, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return dup("MPI_Type_dup", oldtype, newtype);
}
