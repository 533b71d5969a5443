#include "launcher/process/footprint.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

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

std::string scratch_prefix() { return fmt::format("rb2run-{}-", ::getuid()); }

Footprint footprint_of(std::string nonce) {
    Footprint footprint;
    footprint.nonce = std::move(nonce);
    footprint.scratch = temporary_directory() / (scratch_prefix() + footprint.nonce);
    footprint.segment_prefix = fmt::format("rb2-{}-{}-", ::getuid(), footprint.nonce);
    footprint.page_prefix = state::page_prefix(footprint.segment_prefix);
    return footprint;
}

/// The file in a scratch directory that its launcher has locked. The name tells the kernel that knows of the
/// lock: a directory may be shared with other machines.
std::string lock_name() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return "lock-" + boot;
}

/// What others put into a shared directory is not ours to believe.
bool is_own_directory(const std::filesystem::path& path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::getuid();
}

UniqueFd lock(const std::filesystem::path& path, int flags) {
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, S_IRUSR | S_IWUSR));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
    return file;
}

}  // namespace

Footprint new_footprint() { return footprint_of(random_hex()); }

UniqueFd create_scratch(const Footprint& footprint) {
    if (::mkdir(footprint.scratch.c_str(), S_IRWXU) != 0) {
        throw LaunchError(kExitLauncher, fmt::format("cannot make the directory {}: {}; set TMPDIR to a "
                                                     "directory with room and write permission",
                                                     footprint.scratch.string(), std::strerror(errno)));
    }
    // Locked before it has the name that others look for.
    const std::filesystem::path unnamed = footprint.scratch / "lock";
    UniqueFd locked = lock(unnamed, O_CREAT | O_EXCL);
    if (locked) ::rename(unnamed.c_str(), (footprint.scratch / lock_name()).c_str());
    return locked;
}

void remove_footprint(const Footprint& footprint) {
    std::error_code error;
    std::filesystem::remove_all(footprint.scratch, error);
    remove_segments(footprint.segment_prefix);
}

void remove_stale_jobs() {
    const std::string prefix = scratch_prefix();
    const std::string name = lock_name();
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(temporary_directory(), error)) {
        const std::string directory = entry.path().filename().string();
        if (!directory.starts_with(prefix) || !is_own_directory(entry.path())) continue;
        const UniqueFd nobodys = lock(entry.path() / name, 0);
        if (nobodys) remove_footprint(footprint_of(directory.substr(prefix.size())));
    }
}

}  // namespace rb2::launcher
