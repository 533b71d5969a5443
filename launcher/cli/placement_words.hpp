#pragma once
// What follows from the options about placement, taken together.

#include <optional>
#include <string>

#include "launcher/cli/options.hpp"

namespace rb2::launcher {

/// Placement as given.
struct PlacementWords {
    std::string map_by;             ///< empty: not given
    std::optional<BindTo> bind_to;  ///< nothing: not given
    std::string rank_file;          ///< path; empty: not given
};

/// Fills in mapping and binding. A rank file stands alone, but for the binding to hardware threads. Throws
/// UsageError.
void decide_placement(Options& options, const PlacementWords& words);

/// Reads the rank file, if there is one, whose hosts are the job's if none are named. Throws UsageError.
void read_ranks(Options& options);

/// Gives every program without -n its number of ranks (0 until now): one, but the only program of a job all
/// of the rank file, or all slots of the hosts. Throws UsageError where that cannot be known.
void fill_in_ranks(Options& options);

}  // namespace rb2::launcher
