#pragma once
// Error handlers: the predefined ones, and those that users make.

#include <string>
#include <utility>

#include "mpi.h"

namespace rb2::mpi {

/// Takes, or gives back, a reference to a user's handler; predefined ones are left alone.
void retain(MPI_Errhandler handler) noexcept;
void drop(MPI_Errhandler handler) noexcept;

/// Predefined, or made by a user for `Function` (MPI_Comm_errhandler_function or
/// MPI_Session_errhandler_function) and not freed.
template <class Function>
[[nodiscard]] bool is_errhandler(MPI_Errhandler handler) noexcept;

/// The user's function behind a handler, or null: predefined, or not of this kind.
template <class Function>
[[nodiscard]] Function* function_of(MPI_Errhandler handler) noexcept;

/// A handle for a user's handler. Returns the error class.
template <class Function>
int make_errhandler(const char* name, Function* function, MPI_Errhandler* handler);

/// For a handler argument that is not what the call needs.
[[gnu::cold]] std::string no_errhandler(MPI_Errhandler handler);

/// The handler that an object keeps for its errors. A user may free it meanwhile: it goes with its last
/// reference.
class HandlerSlot {
  public:
    HandlerSlot() = default;
    HandlerSlot(const HandlerSlot&) = delete;
    HandlerSlot& operator=(const HandlerSlot&) = delete;
    ~HandlerSlot() { drop(handler_); }

    [[nodiscard]] MPI_Errhandler get() const noexcept { return handler_; }
    void set(MPI_Errhandler handler) noexcept {
        retain(handler);
        drop(std::exchange(handler_, handler));
    }

  private:
    MPI_Errhandler handler_ = MPI_ERRORS_ARE_FATAL;
};

}  // namespace rb2::mpi
