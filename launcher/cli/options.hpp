#pragma once
// What the user asked for: the command line of rb2run, parsed and checked. Only host file and rank file are
// read.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/cli/hosts.hpp"
#include "launcher/placement/map_by.hpp"
#include "launcher/placement/rank_file.hpp"

namespace rb2::launcher {

/// Who starts the ranks: rb2run itself, or a launcher that is there.
enum class Engine : std::uint8_t { automatic, embedded, srun, prterun, mpirun };

/// --kill-wait if it is not given.
inline constexpr double kDefaultKillWait = 2.0;

/// One -x: NAME=VALUE, or NAME alone (the launcher's own value, also when rb2run would drop it).
struct Export {
    std::string name;
    std::optional<std::string> value;
};

/// One program of the job: what stands between two ":".
struct AppSpec {
    int ranks = 1;
    std::vector<std::string> command;  ///< program, then its arguments; never empty
    std::string wdir;                  ///< empty: the launcher's own
    std::vector<Export> exports;
};

struct Options {
    std::vector<AppSpec> apps;  ///< never empty
    std::optional<MapBy> map_by;
    BindTo bind_to = BindTo::none;  ///< as said, or what follows from the mapping or the rank file
    std::string rank_file;          ///< path; empty: none
    std::vector<RankSlots> rank_slots;
    bool report_bindings = false;
    bool tag_output = false;
    bool timestamp_output = false;
    bool verbose = false;
    bool report_fabrics = false;
    bool stats = false;      ///< at the end, what the job has exchanged
    std::string output_dir;  ///< empty: forward to the terminal
    std::optional<double> timeout_s;
    /// After INT, TERM, HUP or QUIT to the launcher: seconds until KILL.
    std::optional<double> kill_wait_s;
    Engine engine = Engine::automatic;
    std::vector<HostSpec> hosts;  ///< empty: none named
    std::string rsh_agent;        ///< how the engine reaches hosts; empty: its own choice
    bool dry_run = false;
};

/// Nothing to run: print `text` (stdout when code is 0, else stderr) and exit.
struct EarlyExit {
    int code;
    std::string text;
};

/// Parses the arguments after the program name. `RB2RUN_…` environment variables give defaults.
[[nodiscard]] std::variant<Options, EarlyExit> parse_command_line(const std::vector<std::string>& args);

}  // namespace rb2::launcher
