#pragma once
// What another rank has made, or who is to blame that it is not there.

#include <fmt/format.h>

#include "runtime/bootstrap/card.hpp"
#include "runtime/memory/segment.hpp"

namespace rb2::mesh {

/// The result of `attach()`, which maps memory that `owner` had made before this rank was told of it. A rank
/// that fails while the job starts takes its memory away: then throws StartupError that names it.
template <class Attach>
[[nodiscard]] auto attach_of(const bootstrap::Card& owner, Attach attach) {
    try {
        return attach();
    } catch (const memory::NoSuchSegment&) {
        throw StartupError(
            fmt::format("rank {} on {} has failed while the job started; its own message says why",
                        owner.rank, bootstrap::host_name(owner)));
    }
}

}  // namespace rb2::mesh
