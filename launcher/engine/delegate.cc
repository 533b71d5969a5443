#include "launcher/engine/delegate.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "launcher/engine/choose.hpp"
#include "launcher/engine/command.hpp"
#include "launcher/engine/exec.hpp"
#include "launcher/engine/probe.hpp"
#include "launcher/engine/shell.hpp"
#include "launcher/engine/survey.hpp"
#include "launcher/job/job.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

namespace fs = std::filesystem;

Choice choose_or_throw(const Options& options, const Facts& facts) {
    const auto chosen = choose_engine(options.engine, facts);
    if (const auto* problem = std::get_if<std::string>(&chosen)) {
        throw LaunchError(kExitLauncher, *problem);
    }
    return std::get<Choice>(chosen);
}

/// Engines write their own files there, and overwrite what they find.
void prepare_output_directory(const std::string& dir) {
    std::error_code error;
    fs::create_directories(dir, error);
    const bool empty = !error && fs::is_empty(dir, error);
    if (error) {
        throw LaunchError(kExitUsage, fmt::format("--output {}: {}", dir, error.message()));
    }
    if (!empty) {
        throw LaunchError(
            kExitUsage, fmt::format("--output: {} is not empty, and nothing is overwritten; empty it or give "
                                    "another directory",
                                    dir));
    }
}

void note(const std::string& text) { fmt::print(stderr, "rb2run: {}\n", text); }

EngineContext context_of(const Choice& choice, const Facts& facts) {
    EngineContext context;
    context.tool = choice.engine == Engine::embedded ? Tool{} : tool_of(choice.engine, facts);
    context.environment = facts.environment;
    context.allocation = find_allocation(facts);
    context.root = ::geteuid() == 0;
    return context;
}

/// Stays beside the job, and can ask its ranks.
int watch_over(const Choice& choice, const Options& options, EngineContext context) {
    const Footprint footprint = new_footprint();
    context.pages = footprint.nonce;
    context.keep_pages = options.stats;
    const Survey survey(choice.engine, options, context, footprint);
    return hand_over(build_command(choice.engine, options, context), options, &survey);
}

int dry_run(const Choice& choice, const Options& options, const EngineCommand& command) {
    if (choice.engine == Engine::embedded) {
        static_cast<void>(describe_job(options));  // refuses what cannot be started
    } else if (options.timeout_s) {
        note(fmt::format("--timeout {} is kept by rb2run and is not part of this command",
                         *options.timeout_s));
    }
    fmt::print("{}\n", to_shell(command));
    return 0;
}

}  // namespace

std::optional<int> delegate(const Options& given) {
    const Facts facts = gather_facts(given);
    const Choice choice = choose_or_throw(given, facts);
    if (given.verbose) {
        note(fmt::format("engine {}: {}", engine_name(choice.engine), choice.reason));
    }
    if (choice.engine == Engine::embedded && !given.dry_run) {
        return std::nullopt;
    }
    Options options = given;
    if (choice.engine != Engine::embedded && !options.output_dir.empty()) {
        options.output_dir = fs::absolute(options.output_dir).lexically_normal().string();
    }
    const EngineContext context = context_of(choice, facts);
    const EngineCommand command = build_command(choice.engine, options, context);
    if (options.verbose) {
        for (const std::string& text : command.notes) {
            note(text);
        }
    }
    if (options.dry_run) {
        return dry_run(choice, options, command);
    }
    if (!options.output_dir.empty()) {
        prepare_output_directory(options.output_dir);
    }
    if (options.verbose) {
        note(to_shell(command));
    }
    const bool watched = options.timeout_s || options.stats;
    return watched ? watch_over(choice, options, context) : hand_over(command, options, nullptr);
}

}  // namespace rb2::launcher
