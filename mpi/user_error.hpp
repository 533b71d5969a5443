#pragma once
// Error classes and codes that users add (MPI 5.0, section 9.5). Their numbers follow MPI_ERR_LASTCODE.

#include <string>

namespace rb2::mpi {

struct UserError {
    int error_class;   ///< the code itself, if it is a class
    std::string text;  ///< empty until set
};

/// Null: nobody added that code.
[[nodiscard]] const UserError* find_user_error(int code) noexcept;

/// The largest number given out so far: the attribute MPI_LASTUSEDCODE.
[[nodiscard]] int last_used_code() noexcept;

}  // namespace rb2::mpi
