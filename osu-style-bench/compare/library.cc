#include "osu-style-bench/compare/library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <thread>

namespace rb2::bench::compare {
namespace {

namespace fs = std::filesystem;

// Every build of the suite has this program.
constexpr const char* kWitness = "osu_latency";

bool is_executable(const fs::path& file) {
    return fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
}

fs::path own_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// First of these names found as a path or in PATH; empty when none is.
fs::path find_launcher(const std::vector<fs::path>& names) {
    const char* path = std::getenv("PATH");
    for (const fs::path& name : names) {
        if (name.has_parent_path()) {
            if (is_executable(name)) {
                return name;
            }
            continue;
        }
        std::istringstream directories(path == nullptr ? "" : path);
        for (std::string directory; std::getline(directories, directory, ':');) {
            if (is_executable(fs::path(directory) / name)) {
                return fs::path(directory) / name;
            }
        }
    }
    return {};
}

fs::path find_programs(const std::vector<fs::path>& directories) {
    for (const fs::path& directory : directories) {
        if (is_executable(directory / kWitness)) {
            return directory;
        }
    }
    return {};
}

std::vector<fs::path> given_or(const fs::path& given, std::vector<fs::path> defaults) {
    return given.empty() ? std::move(defaults) : std::vector<fs::path>{given};
}

Library make_library(std::string key, std::string label, const std::vector<fs::path>& launchers,
                     const std::vector<fs::path>& directories) {
    Library library{
        std::move(key), std::move(label), find_launcher(launchers), find_programs(directories), {}};
    if (library.launcher.empty()) {
        library.missing = fmt::format("no launcher {}", launchers.front().string());
    } else if (library.directory.empty()) {
        library.missing = fmt::format("no {} in {}", kWitness, directories.front().string());
    }
    return library;
}

}  // namespace

std::vector<Library> find_libraries(const Places& places) {
    const fs::path here = own_directory();
    const fs::path installed = here.parent_path() / "libexec" / "rb2";
    return {
        make_library("rb2", "rb2", given_or(places.rb2_launcher, {here / "rb2run", "rb2run"}),
                     given_or(places.rb2_directory, {here})),
        make_library("openmpi", "Open MPI",
                     given_or(places.openmpi_launcher, {"mpirun.openmpi", "mpiexec.openmpi"}),
                     given_or(places.openmpi_directory, {here / "openmpi", installed / "openmpi"})),
        make_library("mpich", "MPICH", given_or(places.mpich_launcher, {"mpiexec.hydra", "mpiexec.mpich"}),
                     given_or(places.mpich_directory, {here / "mpich", installed / "mpich"}))};
}

Site this_site() { return {static_cast<int>(std::thread::hardware_concurrency()), ::geteuid() == 0}; }

std::vector<std::string> launch_command(const Library& library, const Site& site, int ranks,
                                        const std::string& program, const std::vector<std::string>& args) {
    std::vector<std::string> command{library.launcher.string()};
    if (library.key == "openmpi") {
        if (site.root) {
            command.emplace_back("--allow-run-as-root");
        }
        if (ranks > site.processors) {
            command.emplace_back("--oversubscribe");
        }
    }
    command.insert(command.end(), {"-n", std::to_string(ranks), (library.directory / program).string()});
    command.insert(command.end(), args.begin(), args.end());
    return command;
}

}  // namespace rb2::bench::compare
