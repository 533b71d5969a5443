#pragma once
// What an MPI_Datatype that is not predefined stands for.

#include <cstdint>
#include <string>
#include <vector>

#include "datatype/layout.hpp"
#include "datatype/type_map.hpp"
#include "mpi.h"
#include "mpi/attributes.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"

namespace rb2::mpi {

/// The call that made a datatype, as MPI_Type_get_contents tells it: `counts` of the large-count forms only.
struct Contents {
    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Count> counts;
    std::vector<MPI_Datatype> datatypes;  // with a reference to each derived one
};

/// Lives as long as its handle, and what was made from it. Objects come from a pool and stay addressable
/// after their end, so a stale handle is noticed, not followed.
struct Type {
    Magic magic = Magic::gone;
    bool permanent = false;  ///< not the user's to free
    int references = 0;
    datatype::TypeMapPtr map;
    datatype::LayoutRef layout;  ///< of a committed type, else null
    Contents contents;
    std::string name;
    AttributeSet<TypeAttributes> attributes;
    int handles = 1;  ///< that users have to free: more than one after MPI_Type_get_contents
    Type* next_free = nullptr;
};

/// A new type with one reference, not committed; takes references to the types of `contents`. Throws
/// std::bad_alloc.
[[nodiscard]] MPI_Datatype make_type(datatype::TypeMapPtr map, Contents contents);

/// Null when the handle is no derived datatype.
[[nodiscard]] inline Type* find_type(MPI_Datatype handle) noexcept {
    return object_behind<Type>(handle, Magic::datatype);
}

/// One reference more, or one less; predefined handles have none to count.
void retain_type(MPI_Datatype handle) noexcept;
void drop_type(MPI_Datatype handle) noexcept;

/// What any datatype describes; null when the handle is none.
[[nodiscard]] const datatype::TypeMap* map_of(MPI_Datatype handle) noexcept;
[[nodiscard]] datatype::TypeMapPtr shared_map_of(MPI_Datatype handle) noexcept;

/// From one element of any datatype to the next; 0 when the handle is none.
[[nodiscard]] std::int64_t extent_in_bytes(MPI_Datatype handle) noexcept;

/// How a predefined or committed datatype is packed; null for all others.
[[nodiscard]] const datatype::Layout* layout_of(MPI_Datatype handle) noexcept;

}  // namespace rb2::mpi
