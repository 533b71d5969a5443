#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rb2::bench::compare {

inline constexpr const char* kOwnKey = "rb2";

/// One of the MPI libraries compared: how to start a job with it and where its build of the programs is.
struct Library {
    std::string key;    ///< "rb2", "openmpi", "mpich"
    std::string label;  ///< heading of its column
    std::filesystem::path launcher;
    std::filesystem::path directory;  ///< holds osu_latency and the others
    std::string missing;              ///< why it cannot be measured; empty when it can
};

/// Where to look; empty fields mean the default places next to this program and in PATH.
struct Places {
    std::filesystem::path rb2_directory, openmpi_directory, mpich_directory;
    std::filesystem::path rb2_launcher, openmpi_launcher, mpich_launcher;
};

/// The three libraries, rb2 first, each with the reason when it cannot be measured.
std::vector<Library> find_libraries(const Places& places);

/// The machine and user a job is started on, as far as the peers' launchers want to be told.
struct Site {
    int processors;
    bool root;
};
Site this_site();

/// The command line that runs program with args on this many ranks.
std::vector<std::string> launch_command(const Library& library, const Site& site, int ranks,
                                        const std::string& program, const std::vector<std::string>& args);

}  // namespace rb2::bench::compare
