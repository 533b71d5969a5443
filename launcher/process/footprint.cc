#include "launcher/process/footprint.hpp"

#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "launcher/sys/launch_error.hpp"
#include "runtime/state/names.hpp"

namespace rb2::launcher {
namespace {

constexpr const char* kSegmentDirectory = "/dev/shm";

std::string random_hex() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw LaunchError(kExitLauncher,
                          std::string("no random numbers (getrandom): ") + std::strerror(errno));
    }
    std::string hex;
    for (const unsigned char byte : bytes) {
        hex += fmt::format("{:02x}", byte);
    }
    return hex;
}

std::filesystem::path temporary_directory() {
    const char* chosen = std::getenv("TMPDIR");
    return chosen != nullptr && *chosen == '/' ? chosen : "/tmp";
}

void remove_segments(std::string_view prefix) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(kSegmentDirectory, error)) {
        if (entry.path().filename().string().starts_with(prefix)) {
            std::filesystem::remove(entry.path(), error);
        }
    }
}

}  // namespace

Footprint new_footprint() {
    Footprint footprint;
    footprint.nonce = random_hex();
    footprint.scratch = temporary_directory() / fmt::format("rb2run-{}-{}", ::getuid(), footprint.nonce);
    footprint.segment_prefix = fmt::format("rb2-{}-{}-", ::getuid(), footprint.nonce);
    footprint.page_prefix = state::page_prefix(footprint.segment_prefix);
    return footprint;
}

void create_scratch(const Footprint& footprint) {
    if (::mkdir(footprint.scratch.c_str(), S_IRWXU) != 0) {
        throw LaunchError(kExitLauncher, fmt::format("cannot make the directory {}: {}; set TMPDIR to a "
                                                     "directory with room and write permission",
                                                     footprint.scratch.string(), std::strerror(errno)));
    }
}

void remove_footprint(const Footprint& footprint) {
    std::error_code error;
    std::filesystem::remove_all(footprint.scratch, error);
    remove_segments(footprint.segment_prefix);
}

}  // namespace rb2::launcher
