#include "osu-style-bench/compare/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "command/pointers.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"

namespace rb2::bench::compare {
namespace {

constexpr std::size_t kKeptOutput = 2000;
constexpr std::chrono::seconds kGrace{2};

void require(int error, const std::string& what) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category(), what);
    }
}

/// Starts the command with no input and both outputs in log, as leader of a new process group.
pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& log) {
    const std::vector<char*> argv = command::pointers_to(command);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    require(::posix_spawn_file_actions_init(&files), "preparing a process");
    require(::posix_spawnattr_init(&attributes), "preparing a process");
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t process = 0;
    const int error = ::posix_spawnp(&process, argv.front(), &files, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    require(error, fmt::format("starting {}", command.front()));
    return process;
}

/// Whether the process ended in time; it stays to be reaped.
bool ended_within(pid_t process, std::chrono::milliseconds time) {
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    require(descriptor < 0 ? errno : 0, "watching a process");
    pollfd watched{descriptor, POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&watched, 1, static_cast<int>(time.count()));
    } while (ready < 0 && errno == EINTR);
    ::close(descriptor);
    return ready > 0;
}

std::string describe(int status, bool timed_out, std::chrono::seconds timeout) {
    if (timed_out) {
        return fmt::format("no end after {} s", timeout.count());
    }
    if (WIFSIGNALED(status)) {
        return fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string tail_of(const std::filesystem::path& log) {
    std::ifstream file(log);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.size() <= kKeptOutput ? text : text.substr(text.size() - kKeptOutput);
}

}  // namespace

Ending run_command(const std::vector<std::string>& command, std::chrono::seconds timeout,
                   const std::filesystem::path& log) {
    const Stopwatch watch;
    const pid_t process = spawn(command, log);
    const bool timed_out = !ended_within(process, timeout);
    const double wall_ms = watch.elapsed_ms();
    if (timed_out) {
        ::kill(-process, SIGTERM);
        if (!ended_within(process, kGrace)) {
            ::kill(-process, SIGKILL);
        }
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    std::string reason = describe(status, timed_out, timeout);
    const bool succeeded = reason.empty();
    return {succeeded, wall_ms, std::move(reason), tail_of(log)};
}

ScratchDirectory::ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rb2-compare-XXXXXX").string();
    require(::mkdtemp(pattern.data()) == nullptr ? errno : 0, fmt::format("creating {}", pattern));
    path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace rb2::bench::compare
