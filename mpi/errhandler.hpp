#pragma once
// Error handlers: the predefined ones, and those that users make.

#include <utility>

#include "mpi.h"

namespace rb2::mpi {

/// Takes, or gives back, a reference to a user's handler; predefined ones are left alone.
void retain(MPI_Errhandler handler) noexcept;
void drop(MPI_Errhandler handler) noexcept;

/// Predefined, or made by a user and not freed.
[[nodiscard]] bool is_errhandler(MPI_Errhandler handler) noexcept;

/// The user's function behind a handler, or null: predefined.
[[nodiscard]] MPI_Comm_errhandler_function* function_of(MPI_Errhandler handler) noexcept;

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
