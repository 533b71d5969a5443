#include "launcher/stdio/output_files.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

std::string file_name(const std::string& dir, int rank, const char* suffix) {
    return fmt::format("{}/rank.{}.{}", dir, rank, suffix);
}

void refuse_existing(const std::string& path) {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
        throw LaunchError(kExitUsage,
                          fmt::format("--output: {} exists already and is not overwritten; remove it or "
                                      "give another directory",
                                      path));
    }
}

}  // namespace

void prepare_output_files(const std::string& dir, int ranks) {
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) {
        throw LaunchError(kExitUsage,
                          fmt::format("--output: cannot make the directory {}: {}", dir, error.message()));
    }
    for (int rank = 0; rank < ranks; ++rank) {
        refuse_existing(file_name(dir, rank, "out"));
        refuse_existing(file_name(dir, rank, "err"));
    }
}

UniqueFd create_output_file(const std::string& dir, int rank, const char* suffix) {
    const std::string path = file_name(dir, rank, suffix);
    UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (!file) {
        throw LaunchError(kExitLauncher,
                          fmt::format("--output: cannot create {}: {}", path, std::strerror(errno)));
    }
    return file;
}

}  // namespace rb2::launcher
