#include "launcher/process/descendants.hpp"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>

namespace rb2::launcher {
namespace {

constexpr std::chrono::seconds kPatience{3};
constexpr std::chrono::milliseconds kPause{5};

/// Calls `pass` until it returns false or patience runs out.
template <typename Pass>
void repeat_while(Pass pass) {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (pass() && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(kPause);
    }
}

/// Empty if the process is gone. Not with iterators: a process that vanishes makes the read itself fail, and
/// stream buffers throw then.
std::string read_proc(pid_t pid, const char* file) {
    std::ifstream stream(fmt::format("/proc/{}/{}", pid, file), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

bool is_keeper(pid_t pid) { return read_proc(pid, "comm") == std::string(kKeeperName) + "\n"; }

/// Orphans go to the main thread of the subreaper, so its list is complete.
std::vector<pid_t> children_of_this_process() {
    std::ifstream stream(fmt::format("/proc/self/task/{}/children", ::getpid()));
    return {std::istream_iterator<pid_t>(stream), {}};
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> pids;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        pid_t pid = 0;
        const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (failure == std::errc() && end == name.data() + name.size()) {
            pids.push_back(pid);
        }
    }
    return pids;
}

bool has_variable(pid_t pid, const std::string& variable) {
    const std::string environment = '\0' + read_proc(pid, "environ");
    return environment.find('\0' + variable + '\0') != std::string::npos;
}

struct ProcStat {
    char state = 'X';
    pid_t group = 0;
    pid_t session = 0;
};

/// proc(5): "pid (name) state ppid pgrp session …"; the name may itself contain ")".
ProcStat read_stat(pid_t pid) {
    const std::string text = read_proc(pid, "stat");
    ProcStat stat;
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos) {
        pid_t parent = 0;
        std::istringstream(text.substr(name_end + 1)) >> stat.state >> parent >> stat.group >> stat.session;
    }
    return stat;
}

bool is_running(const ProcStat& stat) { return stat.state != 'Z' && stat.state != 'X'; }

}  // namespace

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void kill_remaining_children(pid_t keeper) {
    repeat_while([keeper] {
        bool found = false;
        for (const pid_t pid : children_of_this_process()) {
            if (pid == keeper) {
                continue;
            }
            if (!is_keeper(pid)) {
                ::kill(pid, SIGKILL);
            }
            found |= ::waitpid(pid, nullptr, WNOHANG) != pid;
        }
        return found || children_of_this_process().size() > (keeper > 0 ? 1U : 0U);
    });
}

void kill_job_processes(const std::string& nonce, const std::vector<pid_t>& groups, pid_t session) {
    const std::string variable = "RB2_JOB_NONCE=" + nonce;
    // Of a process that has just been forked, or is in exec(), a pass may see neither group nor environment.
    constexpr int enough = 3;
    int in_vain = 0;
    repeat_while([&] {
        bool found = false;
        for (const pid_t pid : all_processes()) {
            const ProcStat stat = read_stat(pid);
            const bool in_group = stat.session == session &&
                                  std::find(groups.begin(), groups.end(), stat.group) != groups.end();
            if (is_running(stat) && (in_group || has_variable(pid, variable)) && !is_keeper(pid)) {
                ::kill(pid, SIGKILL);
                found = true;
            }
        }
        in_vain = found ? 0 : in_vain + 1;
        return in_vain < enough;
    });
}

}  // namespace rb2::launcher
