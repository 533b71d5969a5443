#include "mpi/type_attributes.hpp"

#include <unordered_map>

#include "mpi/datatype.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/keyvals.hpp"

namespace rb2::mpi {

AttributeSet<TypeAttributes>* attributes_of(MPI_Datatype datatype) {
    if (Type* const type = find_type(datatype)) return &type->attributes;
    static std::unordered_map<MPI_Datatype, AttributeSet<TypeAttributes>> of_predefined;
    return extent_of(datatype) == kNoDatatype ? nullptr : &of_predefined[datatype];
}

namespace {

Keys<TypeAttributes> keys;

/// Calls `then(attributes)`, if the library runs and the handle is a datatype.
template <class Then>
int with_attributes(const char* function, MPI_Datatype datatype, Then then) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    AttributeSet<TypeAttributes>* const attributes = attributes_of(datatype);
    return attributes != nullptr ? then(*attributes)
                                 : fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_create_keyval, MPI_Type_copy_attr_function* type_copy_attr_fn,
               MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
    return create_key("MPI_Type_create_keyval", keys, type_copy_attr_fn, type_delete_attr_fn, type_keyval,
                      extra_state);
}
RB2_MPI_DEFINE(int, Type_free_keyval, int* type_keyval) {
    return free_key("MPI_Type_free_keyval", keys, type_keyval);
}
RB2_MPI_DEFINE(int, Type_get_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
    return with_attributes("MPI_Type_get_attr", datatype, [&](auto& attributes) {
        return get_value("MPI_Type_get_attr", keys, attributes, type_keyval, attribute_val, flag, nullptr);
    });
}
RB2_MPI_DEFINE(int, Type_set_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val) {
    return with_attributes("MPI_Type_set_attr", datatype, [&](auto& attributes) {
        return set_value("MPI_Type_set_attr", keys, attributes, datatype, type_keyval, attribute_val,
                         nullptr);
    });
}
RB2_MPI_DEFINE(int, Type_delete_attr, MPI_Datatype datatype, int type_keyval) {
    return with_attributes("MPI_Type_delete_attr", datatype, [&](auto& attributes) {
        return delete_value("MPI_Type_delete_attr", keys, attributes, datatype, type_keyval, nullptr);
    });
}
