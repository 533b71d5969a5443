#include "launcher/job/job.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>

#include "launcher/process/program_path.hpp"

namespace rb2::launcher {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') {
        return "localhost";
    }
    return name.data();
}

App describe_app(const AppSpec& spec, int first_rank) {
    App app;
    app.argv = spec.command;
    app.wdir = spec.wdir;
    app.exports = spec.exports;
    app.first_rank = first_rank;
    app.ranks = spec.ranks;
    app.executable = find_program(spec);
    return app;
}

}  // namespace

int Job::app_index(int rank) const {
    std::size_t index = 0;
    while (index + 1 < apps.size() && rank >= apps[index + 1].first_rank) {
        ++index;
    }
    return static_cast<int>(index);
}

Job describe_job(const Options& options) {
    Job job;
    job.footprint = new_footprint();
    job.nspace = fmt::format("rb2-{}-{}-{}", ::getuid(), ::getpid(), job.footprint.nonce.substr(0, 8));
    job.host = host_name();
    for (const AppSpec& spec : options.apps) {
        job.apps.push_back(describe_app(spec, job.size));
        job.size += spec.ranks;
    }
    return job;
}

}  // namespace rb2::launcher
