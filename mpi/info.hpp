#pragma once
// Info objects, as the rest of the library makes and reads them, and what MPI_INFO_ENV tells.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi.h"
#include "mpi/comm.hpp"

namespace rb2::mpi {

/// Keys and values, in the order in which keys were first set.
using InfoEntries = std::vector<std::pair<std::string, std::string>>;

/// A handle that the user frees.
[[nodiscard]] MPI_Info new_info(InfoEntries entries);
/// Null when the handle is no info; MPI_INFO_NULL is none.
[[nodiscard]] const InfoEntries* entries_of(MPI_Info handle) noexcept;
/// For an argument with hints: MPI_SUCCESS, or the error that it is neither MPI_INFO_NULL nor an info.
int check_info(const char* function, MPI_Info handle, const Comm* comm = nullptr);
/// "MPI_THREAD_SINGLE" and so on.
[[nodiscard]] const char* thread_level_name(int level) noexcept;

/// To be called once the library runs: `ranks` in the job, this rank's host, the level of thread support.
void remember_start(int ranks, std::string_view host, int thread_level);

}  // namespace rb2::mpi
