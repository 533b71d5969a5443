#include "launcher/engine/survey.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "launcher/engine/capture.hpp"
#include "runtime/state/names.hpp"
#include "runtime/state/summary.hpp"
#include "runtime/state/view_text.hpp"

namespace rb2::launcher {
namespace {

namespace fs = std::filesystem;

const std::string kOurLines = "rb2run: ";
constexpr std::size_t kMostOutput = std::size_t{1} << 30;

std::string last_line(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (line.find_first_not_of(" \t\r-=") != std::string::npos) {
            last = line;
        }
    }
    return last;
}

}  // namespace

std::string stat_program() {
    std::error_code error;
    return (fs::read_symlink("/proc/self/exe", error).parent_path() / "rb2stat").string();
}

Options survey_options(const Options& job, int nodes) {
    Options options;
    options.engine = job.engine;
    options.rsh_agent = job.rsh_agent;
    options.map_by = MapBy{.unit = MapUnit::node, .per_unit = 1};
    for (const HostSpec& host : job.rank_file.empty() ? job.hosts : hosts_of(job.rank_slots)) {
        options.hosts.push_back({host.name, 1});
    }
    AppSpec& app = options.apps.emplace_back();
    app.ranks = options.hosts.empty() ? std::max(nodes, 1) : static_cast<int>(options.hosts.size());
    return options;
}

Survey::Survey(Engine engine, const Options& options, const EngineContext& context,
               const Footprint& footprint)
    : engine_(engine),
      options_(survey_options(options, context.allocation.nodes)),
      context_(context),
      page_prefix_(footprint.page_prefix),
      ranks_(static_cast<std::size_t>(job_size(options))) {
    context_.pages.clear();
}

EngineCommand Survey::command(const std::string& what) const {
    Options options = options_;
    options.apps.front().command = {stat_program(), what, page_prefix_};
    return build_command(engine_, options, context_);
}

state::Looks Survey::ask(const std::string& what, std::string& problem) const {
    const std::string printed = capture_output(command(what).argv, kMostOutput);
    state::Looks looks{std::vector<state::RankView>(ranks_), std::vector<state::RankView>(ranks_)};
    std::size_t seen_ranks = 0;
    std::istringstream lines(printed);
    const std::uint64_t now = state::now_ns();
    for (std::string line; std::getline(lines, line);) {
        const auto seen = state::from_line(line, now);
        if (!seen || static_cast<std::size_t>(seen->rank) >= ranks_ || seen->view.traffic.size() != ranks_) {
            continue;
        }
        auto& views = seen->look == state::Look::before ? looks.before : looks.now;
        views[static_cast<std::size_t>(seen->rank)] = seen->view;
        ++seen_ranks;
    }
    if (seen_ranks == 0) {
        problem = printed.empty()              ? "their hosts did not answer"
                  : last_line(printed).empty() ? "no rank has initialized rb2"
                                               : last_line(printed);
    }
    return looks;
}

std::string Survey::hang_report() const {
    std::string problem;
    const state::Looks looks = ask("--raw", problem);
    if (!problem.empty()) {
        return fmt::format("{}where the ranks are is not known: {}\n", kOurLines, problem);
    }
    return state::hang_report(looks, kOurLines);
}

std::string Survey::finish() const {
    std::string problem;
    const state::Looks looks = ask("--raw-and-remove", problem);
    if (!problem.empty()) {
        return fmt::format("{}what the job has exchanged is not known: {}\n", kOurLines, problem);
    }
    return fmt::format("{}what the job has exchanged:\n{}", kOurLines,
                       state::summary_text(looks.now, kOurLines));
}

}  // namespace rb2::launcher
