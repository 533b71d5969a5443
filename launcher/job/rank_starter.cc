#include "launcher/job/rank_starter.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/placement/binding.hpp"
#include "launcher/stdio/output_files.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

[[noreturn]] void fail(const char* what) {
    throw LaunchError(kExitLauncher, fmt::format("{}: {}", what, std::strerror(errno)));
}

Pipe make_pipe(int flags = 0) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | flags) != 0) {
        fail("cannot make a pipe for a rank");
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Connects one output stream of a rank; `kept` is the launcher's end, if there is one.
UniqueFd connect_output(const std::string& output_dir, int rank, const char* suffix, UniqueFd& kept) {
    if (!output_dir.empty()) {
        return create_output_file(output_dir, rank, suffix);
    }
    Pipe pipe = make_pipe();
    kept = std::move(pipe.read);
    return std::move(pipe.write);
}

}  // namespace

RankStarter::RankStarter(const Job& job, const PmixServer& server, const RankCpus& cpus,
                         const Environment& outer, Common common)
    : job_(job),
      server_(server),
      cpus_(cpus),
      common_(std::move(common)),
      null_input_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    if (!null_input_) {
        fail("/dev/null");
    }
    Pipe failures = make_pipe(O_NONBLOCK);
    failures_read_ = std::move(failures.read);
    failures_write_ = std::move(failures.write);
    for (const App& app : job.apps) {
        environments_.push_back(rank_environment(outer, job, app));
    }
}

SpawnRequest RankStarter::request_for(int rank) const {
    const App& app = job_.app_of(rank);
    SpawnRequest request;
    request.rank = rank;
    request.executable = app.executable;
    request.argv = app.argv;
    request.environment = environments_[static_cast<std::size_t>(job_.app_index(rank))];
    server_.add_variables(rank, request.environment);
    request.wdir = app.wdir;
    request.cpu_mask = affinity_words(cpus_[static_cast<std::size_t>(rank)]);
    request.failure_fd = failures_write_.get();
    request.descriptor_limit = common_.descriptor_limit;
    request.signal_mask = common_.signal_mask;
    return request;
}

StartedRank RankStarter::start(int rank) {
    SpawnRequest request = request_for(rank);
    StartedRank started;
    Pipe input;
    if (rank == 0) {
        input = make_pipe();
        started.to_stdin = std::move(input.write);
    }
    const UniqueFd output = connect_output(common_.output_dir, rank, "out", started.from_stdout);
    const UniqueFd errors = connect_output(common_.output_dir, rank, "err", started.from_stderr);
    request.stdin_fd = rank == 0 ? input.read.get() : null_input_.get();
    request.stdout_fd = output.get();
    request.stderr_fd = errors.get();
    started.pid = spawn(request);
    if (started.pid < 0) {
        fail("fork");
    }
    return started;
}

std::optional<SpawnFailure> RankStarter::failure_of(int rank) {
    SpawnFailure failure{};
    while (::read(failures_read_.get(), &failure, sizeof failure) == static_cast<ssize_t>(sizeof failure)) {
        failures_[failure.rank] = failure;
    }
    const auto found = failures_.find(rank);
    return found != failures_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace rb2::launcher
