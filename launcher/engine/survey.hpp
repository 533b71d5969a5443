#pragma once
// Where the ranks of a job are that another launcher started: asks that launcher to start rb2stat once on
// each of their hosts, and puts together what those print.

#include <optional>
#include <string>
#include <vector>

#include "launcher/engine/command.hpp"
#include "launcher/process/footprint.hpp"
#include "runtime/state/report.hpp"

namespace rb2::launcher {

class Survey {
  public:
    /// Of the job that build_command(engine, options, context) starts, whose ranks name their pages as
    /// `footprint` says.
    Survey(Engine engine, const Options& options, const EngineContext& context, const Footprint& footprint);

    /// Lines for the user: where the ranks are, or why that is not known. Takes about a second.
    [[nodiscard]] std::string hang_report() const;
    /// After the job's end: removes the pages of ranks; what they have exchanged, or why that is not known.
    [[nodiscard]] std::string finish() const;

  private:
    [[nodiscard]] EngineCommand command(const std::string& what) const;
    [[nodiscard]] state::Looks ask(const std::string& what, std::string& problem) const;

    Engine engine_;
    Options options_;  ///< of the asking
    EngineContext context_;
    std::string page_prefix_;
    std::size_t ranks_;
};

/// rb2stat's path, beside this program.
[[nodiscard]] std::string stat_program();

/// How often each host is to run rb2stat is once: the options for that, but for the program. Without hosts
/// `nodes` are the allocation's. Pure.
[[nodiscard]] Options survey_options(const Options& job, int nodes);

}  // namespace rb2::launcher
