#pragma once
// The predefined reduction operations, for the datatypes they are defined for (MPI 5.0, section 6.9.2).

#include "mpi.h"
#include "pt2pt/collective/reduction.hpp"

namespace rb2::mpi {

/// The reduction; its `apply` is null when `op` is no operation or is not defined for `datatype`.
[[nodiscard]] collective::Reduction reduction_for(MPI_Op op, MPI_Datatype datatype) noexcept;

}  // namespace rb2::mpi
