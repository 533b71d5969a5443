#include "launcher/cli/options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>

#include "launcher/cli/nearest_name.hpp"
#include "launcher/cli/placement_words.hpp"
#include "launcher/cli/usage_error.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr int kMaxRanks = 100'000;

/// CLI11's help with our usage line.
class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
        return "Usage: rb2run [options] [-n N] program [args] [ : [-n M] program2 [args] ]...\n";
    }
};

/// Options of other launchers that have no counterpart here, and why.
const std::map<std::string, std::string>& foreign_options() {
    static const std::string per_host =
        "say how many ranks each host takes: --map-by ppr:2:node or --host a:2,b:2";
    static const std::string settings = "give the ranks a variable with -x NAME=VALUE";
    static const std::string placement = "ranks are placed by --map-by, --bind-to or --rankfile";
    static const std::string files = "put the programs on the command line, separated by ':'";
    static const std::map<std::string, std::string> table = {
        {"-N", per_host},
        {"-ppn", per_host},
        {"--ppn", per_host},
        {"--npernode", per_host},
        {"-npernode", per_host},
        {"-arch", placement},
        {"-soft", "the number of ranks is exact: give it with -n"},
        {"-path", "give the program with its path"},
        {"-file", files},
        {"-configfile", files},
        {"-env", settings},
        {"-genv", settings},
        {"--rank-by", placement},
        {"-rank-by", placement},
    };
    return table;
}

std::vector<std::vector<std::string>> split_programs(const std::vector<std::string>& args) {
    std::vector<std::vector<std::string>> segments(1);
    for (const std::string& arg : args) {
        if (arg == ":") {
            segments.emplace_back();
        } else {
            segments.back().push_back(arg);
        }
    }
    return segments;
}

/// CLI11 reads "-np" as "-n p" and "-host" as "-h": give the long spellings with one dash, known from other
/// launchers, two.
std::vector<std::string> with_long_spellings(std::vector<std::string> args) {
    constexpr std::array long_names = {"-np",       "-wdir",        "-wd",       "-host",
                                       "-hostfile", "-machinefile", "-hosts",    "-engine",
                                       "-bind-to",  "-map-by",      "-rankfile", "-rf"};
    for (std::string& arg : args) {
        const bool foreign = arg.size() > 2 && arg[1] != '-' && foreign_options().contains(arg);
        if (foreign || std::find(long_names.begin(), long_names.end(), arg) != long_names.end()) {
            arg.insert(0, "-");
        }
    }
    return args;
}

Export parse_export(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || text.empty()) {
        throw UsageError{fmt::format("-x {}: expected NAME or NAME=VALUE", text)};
    }
    if (equals == std::string::npos) {
        return {text, std::nullopt};
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

/// An option whose value is one of a few names, in any letter case. `names` lives as long as `cli`.
template <class Value>
CLI::Option* add_choice(CLI::App& cli, const std::string& option, Value& value, const Names<Value>& names,
                        const std::string& help) {
    const auto choose = [&value, &names, option](const std::string& text) {
        std::string known;
        for (const auto& [name, meaning] : names) {
            if (CLI::detail::to_lower(text) == name) {
                value = meaning;
                return;
            }
            known += known.empty() ? "" : ", ";
            known += name;
        }
        throw CLI::ValidationError(option, fmt::format("'{}' is none of {}", text, known));
    };
    return cli.add_option_function<std::string>(option, choose, help);
}

void define_placement_options(CLI::App& cli, PlacementWords& words) {
    static const Names<std::optional<BindTo>> bindings = {
        {"none", BindTo::none}, {"hwthread", BindTo::hwthread}, {"core", BindTo::core},
        {"numa", BindTo::numa}, {"package", BindTo::package},   {"socket", BindTo::package}};
    cli.add_option("--map-by", words.map_by,
                   "deal ranks to: slot (default), hwthread, core, numa, package, node; N on each with "
                   "ppr:N:UNIT, N cores for each with UNIT:PE=N")
        ->envname("RB2RUN_MAP_BY")
        ->option_text("[ppr:N:]UNIT[:PE=N]");
    add_choice(
        cli, "--bind-to", words.bind_to, bindings,
        "bind ranks to: none, hwthread, core, numa, package (default: what --map-by deals to, else none)")
        ->envname("RB2RUN_BIND_TO")
        ->option_text("WHAT");
    cli.add_option("--rankfile,--rf", words.rank_file, "read host and cores of each rank from FILE")
        ->option_text("FILE");
}

void define_app_options(CLI::App& cli, AppSpec& app, std::vector<std::string>& exports) {
    cli.add_option("-n,--np", app.ranks,
                   "number of ranks of this program (default: 1, with hosts all their slots)")
        ->check(CLI::Range(1, kMaxRanks))
        ->option_text("N");
    cli.add_option("-x", exports, "set NAME for this program's ranks; without VALUE pass it on as it is")
        ->allow_extra_args(false)
        ->option_text("NAME[=VALUE]");
    cli.add_option("--wdir,--wd", app.wdir, "start this program's ranks in DIR")->option_text("DIR");
}

/// Where the hosts come from, as given.
struct HostSource {
    std::string list;
    std::string file;
};

void define_host_options(CLI::App& cli, Options& options, HostSource& source) {
    static const Names<Engine> engines = {{"auto", Engine::automatic}, {"embedded", Engine::embedded},
                                          {"srun", Engine::srun},      {"prterun", Engine::prterun},
                                          {"mpirun", Engine::mpirun},  {"orterun", Engine::mpirun}};
    cli.add_option("-H,--host,--hosts", source.list, "run on these hosts, N ranks on the first, and so on")
        ->option_text("HOST[:N],...");
    cli.add_option("-f,--hostfile,--machinefile", source.file,
                   "read the hosts from FILE: a line each, HOST, HOST:N or HOST slots=N")
        ->option_text("FILE");
    add_choice(cli, "--engine", options.engine, engines,
               "who starts the ranks: auto (default), embedded (this machine only), srun, prterun, mpirun")
        ->envname("RB2RUN_ENGINE")
        ->option_text("WHICH");
    cli.add_option("--rsh-agent", options.rsh_agent, "how prterun or mpirun reaches a host, instead of ssh")
        ->envname("RB2RUN_RSH_AGENT")
        ->option_text("COMMAND");
    cli.add_flag("--dry-run", options.dry_run, "print the command that would start the job, and exit");
}

/// The command line wins over RB2RUN_HOSTFILE.
std::vector<HostSpec> find_hosts(HostSource source) {
    if (!source.list.empty() && !source.file.empty()) {
        throw UsageError{"--host and --hostfile: give one of them"};
    }
    const char* preset = std::getenv("RB2RUN_HOSTFILE");
    if (source.list.empty() && source.file.empty() && preset != nullptr) {
        source.file = preset;
    }
    try {
        return !source.list.empty()   ? parse_host_list(source.list)
               : !source.file.empty() ? read_host_file(source.file)
                                      : std::vector<HostSpec>{};
    } catch (const std::invalid_argument& error) {
        throw UsageError{fmt::format("{}: {}", source.list.empty() ? "--hostfile" : "--host", error.what())};
    }
}

void define_output_options(CLI::App& cli, Options& options) {
    cli.add_flag("-l,--tag-output", options.tag_output, "begin every line with the rank, as [3]")
        ->envname("RB2RUN_TAG_OUTPUT");
    cli.add_flag("--timestamp-output", options.timestamp_output, "begin every line with the time")
        ->envname("RB2RUN_TIMESTAMP_OUTPUT");
    cli.add_option("--output,--output-filename", options.output_dir,
                   "write to DIR/rank.N.out and DIR/rank.N.err instead of here; refuses to overwrite")
        ->envname("RB2RUN_OUTPUT")
        ->option_text("DIR");
    cli.add_flag("--report-bindings", options.report_bindings,
                 "say where each rank is bound, and draw the machine")
        ->envname("RB2RUN_REPORT_BINDINGS");
    cli.add_flag("--report-fabrics", options.report_fabrics,
                 "have rank 0 of an rb2 program say which fabric serves which ranks, and why")
        ->envname("RB2RUN_REPORT_FABRICS");
    cli.add_flag("--stats", options.stats,
                 "at the end say what the job has exchanged: messages, bytes, protocols, fabrics, waiting")
        ->envname("RB2RUN_STATS");
    cli.add_flag("-v,--verbose", options.verbose, "say what rb2run does")->envname("RB2RUN_VERBOSE");
}

/// CLI11's checks of numbers say their range in 300 digits.
CLI::Validator seconds(bool or_zero) {
    const auto refuse = [or_zero](const std::string& text) -> std::string {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (good && (value > 0 || (value == 0 && or_zero))) return {};
        return fmt::format("'{}' is no number of seconds {}", text, or_zero ? "from 0 on" : "above 0");
    };
    return {refuse, ""};
}

void define_job_options(CLI::App& cli, Options& options, bool& ignored) {
    cli.add_option("--timeout", options.timeout_s, "end the job after SECONDS, with exit code 124")
        ->check(seconds(false))
        ->envname("RB2RUN_TIMEOUT")
        ->option_text("SECONDS");
    cli.add_option("--kill-wait", options.kill_wait_s,
                   "after Ctrl-C, TERM, HUP or QUIT: kill what is left after SECONDS (default 2)")
        ->check(seconds(true))
        ->envname("RB2RUN_KILL_WAIT")
        ->option_text("SECONDS");
    cli.add_flag("--oversubscribe", ignored, "accepted, no effect: more ranks than CPUs is always allowed");
    cli.add_flag("--allow-run-as-root", ignored, "accepted, no effect: root is always allowed");
}

std::vector<std::string> option_names(const CLI::App& cli) {
    std::vector<std::string> names;
    for (const CLI::Option* option : cli.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
        for (const std::string& name : option->get_snames()) {
            names.push_back("-" + name);
        }
    }
    return names;
}

/// `own`: the options of this segment; `job`: those that only the first segment takes.
struct KnownNames {
    std::vector<std::string> own;
    std::vector<std::string> job;
};

[[noreturn]] void refuse_option(const std::string& given, const KnownNames& known) {
    const std::string name = given.substr(0, given.find('='));
    if (const auto foreign = foreign_options().find(name); foreign != foreign_options().end()) {
        throw UsageError{fmt::format("{}: {}", name, foreign->second)};
    }
    if (std::find(known.job.begin(), known.job.end(), name) != known.job.end()) {
        throw UsageError{fmt::format("{} concerns the whole job: give it before the first ':'", name)};
    }
    const std::string nearest = nearest_name(name, known.own);
    throw UsageError{nearest.empty() ? fmt::format("unknown option {}", name)
                                     : fmt::format("unknown option {}; did you mean {}?", name, nearest)};
}

/// The program and its arguments: whatever CLI11 left over, taken from `args` as the user wrote it.
std::vector<std::string> command_of(const CLI::App& cli, const std::vector<std::string>& args,
                                    const KnownNames& known) {
    std::vector<std::string> rest = cli.remaining();
    const bool explicit_end = !rest.empty() && rest.front() == "--";
    if (explicit_end) {
        rest.erase(rest.begin());
    }
    if (rest.empty() || rest.front().empty()) {
        throw UsageError{"no program given"};
    }
    std::vector<std::string> command(args.end() - static_cast<std::ptrdiff_t>(rest.size()), args.end());
    if (!explicit_end && command.front().front() == '-') {
        refuse_option(command.front(), known);
    }
    return command;
}

/// Adds the options of one program to `cli`, which may already have those of the job, and parses.
AppSpec parse_segment(CLI::App& cli, const std::vector<std::string>& args,
                      const std::vector<std::string>& job_names) {
    AppSpec app;
    app.ranks = 0;  // not said
    std::vector<std::string> exports;
    define_app_options(cli, app, exports);
    cli.prefix_command();
    std::vector<std::string> reversed = with_long_spellings(args);
    std::reverse(reversed.begin(), reversed.end());  // CLI11 takes its vector from the back
    cli.parse(std::move(reversed));
    app.command = command_of(cli, args, {option_names(cli), job_names});
    std::transform(exports.begin(), exports.end(), std::back_inserter(app.exports), parse_export);
    return app;
}

Options parse_segments(CLI::App& cli, const std::vector<std::vector<std::string>>& segments) {
    Options options;
    bool ignored = false;
    HostSource source;
    define_host_options(cli, options, source);
    PlacementWords placement;
    define_placement_options(cli, placement);
    define_job_options(cli, options, ignored);
    define_output_options(cli, options);
    cli.set_version_flag("-V,--version", "rb2run (rb2) " RB2_VERSION);
    const std::vector<std::string> job_names = option_names(cli);
    options.apps.push_back(parse_segment(cli, segments.front(), {}));
    for (std::size_t i = 1; i < segments.size(); ++i) {
        CLI::App later;
        later.set_help_flag();
        options.apps.push_back(parse_segment(later, segments[i], job_names));
    }
    decide_placement(options, placement);
    options.hosts = find_hosts(source);
    if (options.report_fabrics) {
        for (AppSpec& app : options.apps) {
            app.exports.push_back({"RB2_REPORT_FABRICS", "1"});
        }
    }
    read_ranks(options);
    fill_in_ranks(options);
    return options;
}

EarlyExit usage_error(const std::string& text) {
    return {kExitUsage, fmt::format("rb2run: {}\nrb2run: see rb2run --help\n", text)};
}

}  // namespace

std::variant<Options, EarlyExit> parse_command_line(const std::vector<std::string>& args) {
    CLI::App cli("Start a parallel job, on this machine or on several hosts.", "rb2run");
    cli.formatter(std::make_shared<HelpFormatter>());
    cli.footer("Options given before the first ':' may also come from the environment (rb2run(1)).");
    try {
        return parse_segments(cli, split_programs(args));
    } catch (const CLI::CallForHelp&) {
        return EarlyExit{0, cli.help()};
    } catch (const CLI::CallForVersion& version) {
        return EarlyExit{0, std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what());
    } catch (const UsageError& error) {
        return usage_error(error.text);
    }
}

}  // namespace rb2::launcher
