#pragma once
// The predefined datatypes as type maps. Made at the first question about one that is not answered by the
// table of extents in mpi/datatype.hpp.

#include "datatype/layout.hpp"
#include "datatype/type_map.hpp"
#include "mpi.h"

namespace rb2::mpi {

struct Predefined {
    const char* name = nullptr;
    datatype::TypeMapPtr map;
    datatype::LayoutRef layout;
};

/// Null when the handle is no predefined datatype.
[[nodiscard]] const Predefined* find_predefined(MPI_Datatype datatype);

}  // namespace rb2::mpi
