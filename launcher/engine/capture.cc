#include "launcher/engine/capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "command/pointers.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{10};

/// Its own process group, so that its children end with it.
std::optional<pid_t> start(const std::vector<std::string>& argv, int output) {
    std::vector<char*> words = command::pointers_to(argv);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);  // ours is no program's business
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, words[0], &files, &attributes, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    return error == 0 ? std::optional(pid) : std::nullopt;
}

std::string read_all(int fd, std::size_t most_bytes) {
    const Clock::time_point deadline = Clock::now() + kPatience;
    std::string text;
    std::array<char, 65536> chunk{};
    while (text.size() < most_bytes) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd waiting{fd, POLLIN, 0};
        const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        const std::size_t room = std::min(chunk.size(), most_bytes - text.size());
        const ssize_t size = ready > 0 ? ::read(fd, chunk.data(), room) : 0;
        if (size <= 0) {
            break;
        }
        text.append(chunk.data(), static_cast<std::size_t>(size));
    }
    return text;
}

}  // namespace

std::string capture_output(const std::vector<std::string>& argv, std::size_t most_bytes) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return "";
    }
    const UniqueFd in(ends[0]);
    UniqueFd out(ends[1]);
    const std::optional<pid_t> pid = start(argv, out.get());
    out = UniqueFd();
    if (!pid) {
        return "";
    }
    std::string text = read_all(in.get(), most_bytes);
    ::kill(-*pid, SIGKILL);  // harmless if it has ended: it is not reaped yet
    while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

}  // namespace rb2::launcher
