#include "stat/jobs.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "runtime/state/job_pages.hpp"
#include "runtime/state/names.hpp"

namespace rb2::jobstat {
namespace {

constexpr int kMostAncestors = 64;

/// 0: unknown, or there is none.
pid_t parent_of(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("PPid:")) return static_cast<pid_t>(std::stol(line.substr(5)));
    return 0;
}

std::string name_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string name;
    std::getline(file, name);
    return name;
}

bool descends_from(pid_t pid, pid_t ancestor) {
    for (int steps = 0; pid > 1 && steps < kMostAncestors; ++steps, pid = parent_of(pid))
        if (pid == ancestor) return true;
    return false;
}

pid_t launcher_of(const std::vector<pid_t>& ranks) {
    for (pid_t pid : ranks)
        for (int steps = 0; pid > 1 && steps < kMostAncestors; ++steps, pid = parent_of(pid))
            if (name_of(pid) == "rb2run") return pid;
    return 0;
}

std::set<std::string> page_prefixes() {
    const std::string own = fmt::format("rb2-{}-", ::geteuid());
    const std::string middle = state::page_prefix("-");
    std::set<std::string> prefixes;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(state::kPageDirectory, error)) {
        const std::string name = entry.path().filename().string();
        const std::size_t at = name.find(middle);
        if (name.starts_with(own) && at != std::string::npos)
            prefixes.insert(name.substr(0, at + middle.size()));
    }
    return prefixes;
}

std::string list_of(const std::vector<Job>& jobs) {
    std::string text;
    for (const Job& job : jobs)
        text += fmt::format("{}{} ({} ranks)", text.empty() ? "" : ", ",
                            job.launcher != 0 ? job.launcher : job.ranks.front(), job.ranks.size());
    return text;
}

}  // namespace

std::vector<Job> find_jobs() {
    std::vector<Job> jobs;
    for (const std::string& prefix : page_prefixes()) {
        state::JobPages pages(prefix);
        pages.find();
        Job job{prefix, {}, 0};
        bool lives = false;
        for (const state::RankView& view : pages.view(pages.size())) {
            if (!view.has_page) continue;
            job.ranks.push_back(view.pid);
            lives = lives || (view.process.letter != 0 && view.phase != state::Phase::ended);
        }
        job.launcher = launcher_of(job.ranks);
        if (lives) jobs.push_back(std::move(job));
    }
    return jobs;
}

Job choose_job(std::vector<Job> jobs, std::optional<pid_t> pid) {
    if (!pid && jobs.empty())
        throw std::runtime_error(
            "no job of this user runs here (jobs that rb2run started are found, once their "
            "ranks have called MPI_Init)");
    if (pid) {
        std::erase_if(jobs, [pid](const Job& job) {
            return std::none_of(job.ranks.begin(), job.ranks.end(),
                                [pid](pid_t rank) { return descends_from(rank, *pid); });
        });
        if (jobs.empty())
            throw std::runtime_error(fmt::format(
                "process {} {}", *pid,
                ::kill(*pid, 0) != 0 && errno == ESRCH
                    ? "does not exist"
                    : "is neither rb2run nor a rank of a job of this user that has called MPI_Init"));
    }
    if (jobs.size() > 1)
        throw std::runtime_error(
            fmt::format("{} jobs run here; name one by its process: {}", jobs.size(), list_of(jobs)));
    return std::move(jobs.front());
}

}  // namespace rb2::jobstat
