#include "launcher/process/limits.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr rlim_t kOwnDescriptors = 40;     // terminal, epoll, signals, PMIx's sockets, pipes and files
constexpr rlim_t kDescriptorsPerRank = 3;  // stdout, stderr, PMIx connection

}  // namespace

rlim_t descriptors_needed(int ranks) {
    return kOwnDescriptors + kDescriptorsPerRank * static_cast<rlim_t>(ranks);
}

rlimit raise_descriptor_limit(int ranks) {
    rlimit before{};
    if (::getrlimit(RLIMIT_NOFILE, &before) != 0) {
        throw LaunchError(kExitLauncher, std::string("getrlimit: ") + std::strerror(errno));
    }
    const rlim_t need = descriptors_needed(ranks);
    if (before.rlim_max < need) {
        throw LaunchError(kExitLauncher,
                          fmt::format("{} ranks need {} file descriptors, the limit is {}; raise it "
                                      "with ulimit -n or start fewer ranks",
                                      ranks, need, before.rlim_max));
    }
    if (before.rlim_cur < need) {
        const rlimit raised{before.rlim_max, before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &raised);
    }
    return before;
}

}  // namespace rb2::launcher
