#pragma once
// What the user asked for: the command line of rb2run, parsed and checked, nothing looked up yet.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rb2::launcher {

/// What each rank is bound to.
enum class BindTo : std::uint8_t { none, hwthread, core, numa, socket };

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
    BindTo bind_to = BindTo::none;
    bool report_bindings = false;
    bool tag_output = false;
    bool verbose = false;
    std::string output_dir;  ///< empty: forward to the terminal
    std::optional<double> timeout_s;
    double kill_wait_s = 2.0;  ///< after INT, TERM, HUP or QUIT to the launcher: seconds until KILL
};

/// Nothing to run: print `text` (stdout when code is 0, else stderr) and exit.
struct EarlyExit {
    int code;
    std::string text;
};

/// Parses the arguments after the program name. `RB2RUN_…` environment variables give defaults.
[[nodiscard]] std::variant<Options, EarlyExit> parse_command_line(const std::vector<std::string>& args);

}  // namespace rb2::launcher
