#pragma once
// Everything a job may leave in the file system, and its removal.

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// The names of a job's files. All carry the nonce, so that two jobs never meet.
struct Footprint {
    std::string nonce;              ///< 32 lower-case hex digits, from the kernel's random source
    std::filesystem::path scratch;  ///< directory of the PMIx server, 0700
    std::string segment_prefix;     ///< ranks name their segments /dev/shm/<prefix><rank>…
    std::string page_prefix;        ///< and the pages that show their state, /dev/shm/<prefix><rank>
};

/// A fresh nonce and the names made from it; creates nothing. Throws LaunchError without random numbers.
[[nodiscard]] Footprint new_footprint();

/// Makes the scratch directory. While the result is open, remove_stale_jobs() of others lets the job alone.
/// Throws LaunchError naming the path and what to try.
[[nodiscard]] UniqueFd create_scratch(const Footprint& footprint);

/// Removes the scratch directory and every segment of the job; what is already gone is fine.
void remove_footprint(const Footprint& footprint);

/// Removes what this user's jobs have left whose launcher and keeper were killed together, as a batch system
/// ends all of a job's processes: those with a scratch directory in the same place, made since this machine
/// was started.
void remove_stale_jobs();

}  // namespace rb2::launcher
