#include "mpi/keyvals.hpp"

#include <fmt/format.h>

namespace rb2::mpi {

int fail_key(const char* function, int keyval, const Comm* comm) {
    return fail(MPI_ERR_KEYVAL, function, fmt::format("{} is no attribute key", keyval), comm);
}

int fail_predefined_key(const char* function, int keyval, const Comm* comm) {
    return fail(MPI_ERR_KEYVAL, function,
                fmt::format("key {} is predefined: its value cannot be changed", keyval), comm);
}

int fail_callback(const char* function, const char* callback, int code, const Comm* comm) {
    fail(is_error_class(code) ? code : MPI_ERR_OTHER, function,
         fmt::format("the {} function of an attribute returned {}", callback, code), comm);
    return code;
}

}  // namespace rb2::mpi
