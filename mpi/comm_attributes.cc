// Attributes of communicators: the predefined ones, and those that users set.

#include "mpi/comm_attributes.hpp"

#include <fmt/format.h>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/keyvals.hpp"
#include "mpi/library.hpp"
#include "mpi/user_error.hpp"

namespace rb2::mpi {
namespace {

Keys<CommAttributes> keys;

/// Values of the predefined attributes; users get their addresses.
struct Predefined {
    int tag_upper_bound = pt2pt::kTagUpperBound;
    int io = MPI_ANY_SOURCE;  // every rank can use the language's input and output
    int host = MPI_PROC_NULL;
    int wtime_is_global = 0;
    int application = 0;
    int last_used_code = 0;
    int universe_size = 0;
};
Predefined predefined;

/// Null when the key is not predefined.
int* predefined_attribute(int keyval) {
    switch (keyval) {
        case MPI_TAG_UB:
            return &predefined.tag_upper_bound;
        case MPI_IO:
            return &predefined.io;
        case MPI_HOST:
            return &predefined.host;
        case MPI_WTIME_IS_GLOBAL:
            return &predefined.wtime_is_global;
        case MPI_APPNUM:
            predefined.application = static_cast<int>(job()->world().app_number());
            return &predefined.application;
        case MPI_LASTUSEDCODE:
            predefined.last_used_code = last_used_code();
            return &predefined.last_used_code;
        case MPI_UNIVERSE_SIZE:
            predefined.universe_size = job()->world().size();
            return &predefined.universe_size;
        default:
            return nullptr;
    }
}

int get_attr(const char* function, MPI_Comm comm, int keyval, void* value, int* flag) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm(function, comm);
    if (int* const known = predefined_attribute(keyval); known != nullptr) {
        *flag = 1;
        *static_cast<void**>(value) = known;
        return MPI_SUCCESS;
    }
    return get_value(function, keys, found->attributes, keyval, value, flag, found);
}

int set_attr(const char* function, MPI_Comm comm, int keyval, void* value) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm(function, comm);
    if (predefined_attribute(keyval) != nullptr) return fail_predefined_key(function, keyval, found);
    return set_value(function, keys, found->attributes, comm, keyval, value, found);
}

int delete_attr(const char* function, MPI_Comm comm, int keyval) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm(function, comm);
    if (predefined_attribute(keyval) != nullptr) return fail_predefined_key(function, keyval, found);
    return delete_value(function, keys, found->attributes, comm, keyval, found);
}

}  // namespace

int copy_attributes(const char* function, MPI_Comm from, const Comm& parent, Comm& child) {
    const int code = parent.attributes.copy_to(child.attributes, from);
    return code == MPI_SUCCESS ? code : fail_callback(function, "copy", code, &parent);
}

int delete_attributes(const char* function, MPI_Comm handle, Comm& comm) {
    const int code = comm.attributes.remove_all(handle);
    return code == MPI_SUCCESS ? code : fail_callback(function, "delete", code, &comm);
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_create_keyval, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
               MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
    return create_key("MPI_Comm_create_keyval", keys, comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                      extra_state);
}
RB2_MPI_DEFINE(int, Comm_free_keyval, int* comm_keyval) {
    return free_key("MPI_Comm_free_keyval", keys, comm_keyval);
}
RB2_MPI_DEFINE(int, Comm_get_attr, MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
    return get_attr("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}
RB2_MPI_DEFINE(int, Comm_set_attr, MPI_Comm comm, int comm_keyval, void* attribute_val) {
    return set_attr("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}
RB2_MPI_DEFINE(int, Comm_delete_attr, MPI_Comm comm, int comm_keyval) {
    return delete_attr("MPI_Comm_delete_attr", comm, comm_keyval);
}

// Deprecated names of the same.
RB2_MPI_DEFINE(int, Keyval_create, MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
               void* extra_state) {
    return create_key("MPI_Keyval_create", keys, copy_fn, delete_fn, keyval, extra_state);
}
RB2_MPI_DEFINE(int, Keyval_free, int* keyval) { return free_key("MPI_Keyval_free", keys, keyval); }
RB2_MPI_DEFINE(int, Attr_get, MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
    return get_attr("MPI_Attr_get", comm, keyval, attribute_val, flag);
}
RB2_MPI_DEFINE(int, Attr_put, MPI_Comm comm, int keyval, void* attribute_val) {
    return set_attr("MPI_Attr_put", comm, keyval, attribute_val);
}
RB2_MPI_DEFINE(int, Attr_delete, MPI_Comm comm, int keyval) {
    return delete_attr("MPI_Attr_delete", comm, keyval);
}
