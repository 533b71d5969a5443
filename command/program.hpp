#pragma once
// What the main() of every command does around the command's own work.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace rb2::command {

/// Exit status for a command line that cannot be right.
inline constexpr int kUsageError = 2;

/// To standard output, at once. Throws std::runtime_error where it cannot be written.
inline void print(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        throw std::runtime_error("standard output cannot be written");
}

/// Reads the command line as `app` says, then returns the status of `work()`. What either throws is told on
/// standard error, behind the name of `app`; `invalid` is the status for a std::invalid_argument.
template <class Work>
int run(CLI::App& app, int argc, const char* const* argv, Work work, int invalid = EXIT_FAILURE) {
    const auto complain = [&app](const std::exception& error, int status) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
        return status;
    };
    app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
        const std::string& name = failed->get_name();
        return name + ": " + error.what() + "\nTry '" + name + " --help'.\n";
    });
    try {
        app.parse(argc, argv);
        return work();
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? EXIT_SUCCESS : kUsageError;
    } catch (const std::invalid_argument& error) {
        return complain(error, invalid);
    } catch (const std::exception& error) {
        return complain(error, EXIT_FAILURE);
    }
}

}  // namespace rb2::command
