#pragma once
// The calls on keys and attributes, for every kind of object. `comm`: whose error handler is asked; null:
// none.

#include <string>
#include <utility>

#include "mpi/attributes.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

/// For a key that was never made, or freed and is on no object.
[[gnu::cold]] int fail_key(const char* function, int keyval, const Comm* comm);
/// For a key whose value users cannot change.
[[gnu::cold]] int fail_predefined_key(const char* function, int keyval, const Comm* comm);
/// For a callback ("copy" or "delete") that returned `code`, which is returned.
[[gnu::cold]] int fail_callback(const char* function, const char* callback, int code, const Comm* comm);

template <class Kind>
int create_key(const char* function, Keys<Kind>& keys, typename Kind::Copy copy, typename Kind::Delete remove,
               int* keyval, void* extra_state) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    *keyval = keys.create(copy, remove, extra_state);
    return MPI_SUCCESS;
}

template <class Kind>
int free_key(const char* function, Keys<Kind>& keys, int* keyval) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (keys.find(*keyval) == nullptr) return fail_key(function, *keyval, nullptr);
    keys.free(*keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

template <class Kind>
int get_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes, int keyval,
              void* value, int* flag, const Comm* comm) {
    void** const found = attributes.find(keyval);
    if (found == nullptr && keys.find(keyval) == nullptr) return fail_key(function, keyval, comm);
    *flag = found != nullptr ? 1 : 0;
    if (found != nullptr) *static_cast<void**>(value) = *found;
    return MPI_SUCCESS;
}

template <class Kind>
int set_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes,
              typename Kind::Handle object, int keyval, void* value, const Comm* comm) {
    auto key = keys.find(keyval);
    if (key == nullptr) return fail_key(function, keyval, comm);
    const int code = attributes.set(object, std::move(key), value);
    return code == MPI_SUCCESS ? code : fail_callback(function, "delete", code, comm);
}

template <class Kind>
int delete_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes,
                 typename Kind::Handle object, int keyval, const Comm* comm) {
    if (attributes.find(keyval) == nullptr && keys.find(keyval) == nullptr)
        return fail_key(function, keyval, comm);
    const int code = attributes.remove(object, keyval);
    return code == MPI_SUCCESS ? code : fail_callback(function, "delete", code, comm);
}

}  // namespace rb2::mpi
