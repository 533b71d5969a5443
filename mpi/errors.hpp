#pragma once
// What happens when a call cannot be done: the text, the error handler, and the return value.
//
// Everything here is cold. An error's code is its class, but for those that users add; the text of the last
// error of each class is kept, so that MPI_Error_string can tell what exactly was wrong.

#include <string>

#include "mpi.h"
#include "mpi/comm.hpp"
#include "pt2pt/request.hpp"

namespace rb2::mpi {

struct Session;

/// One error, as the user shall read it.
struct Failure {
    int error_class = MPI_ERR_UNKNOWN;
    const char* function = "";
    const Comm* comm = nullptr;        ///< null when the call has none, or no valid one
    const Session* session = nullptr;  ///< whose handler is told, when it is a session's error
    std::string what;                  ///< what is wrong, with the values that are
    int peer = MPI_PROC_NULL;          ///< the other rank in `comm`, where there is one
    std::string message;               ///< tag and sizes, where there are any
};

/// Reports to the error handler of the session or communicator (without one: of MPI_COMM_SELF) and returns
/// the class, if the handler lets the call return.
[[gnu::cold, gnu::noinline]] int fail(const Failure& failure);
[[gnu::cold, gnu::noinline]] int fail(int error_class, const char* function, std::string what,
                                      const Comm* comm = nullptr);

/// MPI_SUCCESS while the library is running, else the error of using it before MPI_Init or after
/// MPI_Finalize.
inline int require_running(const char* function);
[[gnu::cold, gnu::noinline]] int not_running(const char* function);

/// For a communicator argument that find_comm() knows nothing of: not running, null, or garbage.
[[gnu::cold, gnu::noinline]] int fail_comm(const char* function, MPI_Comm handle);

/// The class for a result of the engine.
[[nodiscard]] int class_of(Status status) noexcept;

/// What is wrong when a collective had a result that is not ok.
[[nodiscard]] std::string collective_failure(Status status);

/// Texts of the table: "MPI_ERR_RANK", what it means, what to try. Unknown numbers give those of
/// MPI_ERR_UNKNOWN.
struct ClassText {
    const char* name;
    const char* meaning;
    const char* advice;
};
[[nodiscard]] const ClassText& class_text(int error_class) noexcept;
[[nodiscard]] bool is_error_class(int error_class) noexcept;

/// A class of the standard, or a class or code that a user has added.
[[nodiscard]] bool is_error_code(int code) noexcept;

/// For MPI_Error_string: meaning and last text of a class; a user's text of a code that a user has added.
[[nodiscard]] std::string explain(int code);

[[nodiscard]] std::string unknown_datatype(MPI_Datatype datatype);

/// How a handle looks in a message: "0x1f".
[[nodiscard]] std::string show_handle(const void* handle);

inline int require_running(const char* function) {
    if (predefined_comms.world == nullptr) [[unlikely]]
        return not_running(function);
    return MPI_SUCCESS;
}

}  // namespace rb2::mpi
