#pragma once
// The job that the options describe, with every name it leaves in the system.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/process/footprint.hpp"

namespace rb2::launcher {

/// One program with the ranks [first_rank, first_rank + ranks).
struct App {
    std::vector<std::string> argv;
    std::string executable;  ///< path to execute, found in PATH; relative ones count from `wdir`
    std::string wdir;        ///< empty: the launcher's own
    std::vector<Export> exports;
    int first_rank = 0;
    int ranks = 0;
};

struct Job {
    Footprint footprint;
    std::string nspace;  ///< PMIx namespace, unique per launch: some libraries name shared files after it
    std::string host;    ///< as gethostname says; never looked up
    std::vector<App> apps;
    int size = 0;  ///< ranks of all programs

    /// Index of the program of `rank`; 0 <= rank < size.
    [[nodiscard]] int app_index(int rank) const;
    [[nodiscard]] const App& app_of(int rank) const {
        return apps[static_cast<std::size_t>(app_index(rank))];
    }
};

/// Looks up every program and directory. Throws LaunchError (127) naming what cannot be started.
[[nodiscard]] Job describe_job(const Options& options);

}  // namespace rb2::launcher
