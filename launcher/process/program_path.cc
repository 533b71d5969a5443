#include "launcher/process/program_path.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& program, const std::string& cause) {
    throw LaunchError(kExitCannotStart, fmt::format("cannot start {}: {}", program, cause));
}

/// 0, or the errno that executing `path` would give.
int execution_error(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return EISDIR;
    }
    return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string search_path(const AppSpec& spec) {
    for (auto it = spec.exports.rbegin(); it != spec.exports.rend(); ++it) {
        if (it->name == "PATH" && it->value) {
            return *it->value;
        }
    }
    const char* path = std::getenv("PATH");
    return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

void check_directory(const AppSpec& spec) {
    std::error_code error;
    if (!spec.wdir.empty() && !fs::is_directory(spec.wdir, error)) {
        refuse(spec.command.front(), fmt::format("--wdir {}: {}", spec.wdir,
                                                 error ? error.message() : std::string("not a directory")));
    }
}

std::string find_in_path(const AppSpec& spec) {
    const std::string& name = spec.command.front();
    int worst = ENOENT;
    std::istringstream directories(search_path(spec));
    for (std::string directory; std::getline(directories, directory, ':');) {
        const fs::path candidate = fs::path(directory.empty() ? "." : directory) / name;
        const int error = execution_error(fs::path(spec.wdir) / candidate);
        if (error == 0) {
            return candidate.string();
        }
        if (error == EACCES) {
            worst = error;
        }
    }
    const bool here = execution_error(fs::path(spec.wdir) / name) == 0;
    refuse(name, fmt::format("{} (searched PATH){}", std::strerror(worst),
                             here ? fmt::format("; did you mean ./{}?", name) : std::string()));
}

}  // namespace

std::string find_program(const AppSpec& spec) {
    check_directory(spec);
    const std::string& name = spec.command.front();
    if (name.find('/') == std::string::npos) {
        return find_in_path(spec);
    }
    if (const int error = execution_error(fs::path(spec.wdir) / name); error != 0) {
        refuse(name, std::strerror(error));
    }
    return name;
}

}  // namespace rb2::launcher
