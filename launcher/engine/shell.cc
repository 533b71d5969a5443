#include "launcher/engine/shell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace rb2::launcher {
namespace {

bool is_plain(const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./:=,@%+").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

}  // namespace

std::string shell_quoted(const std::string& word) {
    if (is_plain(word)) {
        return word;
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

std::string shell_command(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += line.empty() ? "" : " ";
        line += shell_quoted(word);
    }
    return line;
}

std::string to_shell(const EngineCommand& command) {
    std::vector<std::string> words;
    for (const std::string& name : command.unset) {
        words.insert(words.end(), {"-u", name});
    }
    words.insert(words.end(), command.set.begin(), command.set.end());
    if (!words.empty()) {
        words.insert(words.begin(), "env");
    }
    words.insert(words.end(), command.argv.begin(), command.argv.end());
    return shell_command(words);
}

std::string program_selector(const std::vector<AppSpec>& apps, const Environment& outer,
                             const std::string& rank_variable) {
    std::string script;
    int end = 0;
    for (const AppSpec& app : apps) {
        end += app.ranks;
        std::string run = fmt::format("exec {}", shell_command(with_exports(app, outer)));
        if (!app.wdir.empty()) {
            run = fmt::format("cd {} || exit; {}", shell_quoted(app.wdir), run);
        }
        script += fmt::format("if test ${} -lt {}; then {}; fi\n", rank_variable, end, run);
    }
    return script;
}

}  // namespace rb2::launcher
