#pragma once
// Attributes of datatypes.

#include "mpi.h"
#include "mpi/attributes.hpp"

namespace rb2::mpi {

/// The attributes of a datatype, or null when the handle is no datatype. Those of predefined datatypes stay
/// until the process ends.
[[nodiscard]] AttributeSet<TypeAttributes>* attributes_of(MPI_Datatype datatype);

}  // namespace rb2::mpi
