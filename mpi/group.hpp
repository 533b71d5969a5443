#pragma once
// Groups: ordered sets of ranks, kept as world ranks (MPI 5.0, section 7.3).

#include <vector>

#include "mpi.h"
#include "pt2pt/communicator.hpp"

namespace rb2::mpi {

using Members = std::vector<int>;  // world rank of each rank of the group

/// A handle for a new group.
[[nodiscard]] MPI_Group handle_of(Members members);

/// Null when the handle is no group.
[[nodiscard]] const Members* members_of(MPI_Group handle) noexcept;

/// The ranks that messages of a communicator go to: of an intercommunicator the remote ones.
[[nodiscard]] Members members_of(const pt2pt::Communicator& communicator);

/// Rank of `world_rank` in the group, or MPI_UNDEFINED.
[[nodiscard]] int rank_in(const Members& members, int world_rank) noexcept;

/// For a handle that is no group.
[[gnu::cold]] int fail_group(const char* function, MPI_Group handle);

}  // namespace rb2::mpi
