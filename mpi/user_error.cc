#include "mpi/user_error.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

struct UserErrors {
    std::unordered_map<int, UserError> codes;
    int last = MPI_ERR_LASTCODE;
};

UserErrors& user_errors() {
    static UserErrors all;
    return all;
}

bool is_class(int code) {
    const UserError* const user = find_user_error(code);
    return is_error_class(code) || (user != nullptr && user->error_class == code);
}

int fail_code(const char* function, int code) {
    return fail(MPI_ERR_ARG, function,
                fmt::format("{} is no error class or code that this program has added", code));
}

/// A number of its own for a code of `error_class`; 0: the number is its own class.
int add(int error_class) {
    UserErrors& errors = user_errors();
    const int code = ++errors.last;
    errors.codes.emplace(code, UserError{error_class == 0 ? code : error_class, {}});
    return code;
}

}  // namespace

const UserError* find_user_error(int code) noexcept {
    const auto at = user_errors().codes.find(code);
    return at != user_errors().codes.end() ? &at->second : nullptr;
}

int last_used_code() noexcept { return user_errors().last; }

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Add_error_class, int* errorclass) {
    *errorclass = add(0);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Add_error_code, int errorclass, int* errorcode) {
    if (!is_class(errorclass))
        return fail(MPI_ERR_ARG, "MPI_Add_error_code", fmt::format("{} is no error class", errorclass));
    *errorcode = add(errorclass);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Add_error_string, int errorcode, const char* string) {
    const auto at = user_errors().codes.find(errorcode);
    if (at == user_errors().codes.end()) return fail_code("MPI_Add_error_string", errorcode);
    at->second.text = string;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Remove_error_class, int errorclass) {
    if (find_user_error(errorclass) == nullptr || !is_class(errorclass))
        return fail_code("MPI_Remove_error_class", errorclass);
    user_errors().codes.erase(errorclass);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Remove_error_code, int errorcode) {
    if (user_errors().codes.erase(errorcode) == 0) return fail_code("MPI_Remove_error_code", errorcode);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Remove_error_string, int errorcode) {
    const auto at = user_errors().codes.find(errorcode);
    if (at == user_errors().codes.end()) return fail_code("MPI_Remove_error_string", errorcode);
    at->second.text.clear();
    return MPI_SUCCESS;
}
