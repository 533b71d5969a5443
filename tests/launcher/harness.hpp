#pragma once
// Starts rb2run as a user would and looks at what comes out, and at what stays behind.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher::test {

struct Result {
    int exit_code = -1;  ///< 128 + n if rb2run itself died of signal n
    std::string out;
    std::string err;
    std::chrono::duration<double> elapsed{};
};

struct Settings {
    std::vector<std::string> environment;  ///< NAME=VALUE, on top of the test's own
    std::vector<std::string> wrapper;      ///< command in front of rb2run, as {"taskset", "-c", "0"}
    std::string input;                     ///< fed to standard input; then it is closed
};

/// One running rb2run. It and everything it starts carry a mark in the environment; its TMPDIR is private.
class Launch {
  public:
    explicit Launch(std::vector<std::string> arguments, Settings settings = {});
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    /// Kills what is left.
    ~Launch();

    [[nodiscard]] pid_t pid() const { return pid_; }
    void signal(int number) const;
    /// Reads until standard output contains `text` `times` times; false when rb2run ends or 30 s pass before.
    [[nodiscard]] bool wait_for_output(const std::string& text, int times = 1);
    /// The same of standard error.
    [[nodiscard]] bool wait_for_errors(const std::string& text, int times = 1);
    /// Reads to the end; kills rb2run after 60 s.
    Result finish();

    /// Processes with the mark, now.
    [[nodiscard]] std::vector<pid_t> processes() const;
    /// What a finished job left behind, for people; empty is right. Waits up to `patience` for it to vanish.
    [[nodiscard]] std::string leftovers(std::chrono::milliseconds patience = std::chrono::milliseconds{
                                            0}) const;
    [[nodiscard]] const std::string& mark() const { return mark_; }
    [[nodiscard]] const std::filesystem::path& temporary_directory() const { return tmpdir_; }

  private:
    void exec_child(const std::vector<std::string>& arguments, const Settings& settings);
    /// One round of reading and feeding; false when both outputs are at their end.
    bool transfer(int timeout_ms);
    bool wait_for(const std::string& stream, const std::string& text, int times);
    void feed();
    std::string leftovers_now() const;

    std::string mark_;
    std::filesystem::path tmpdir_;
    pid_t pid_ = -1;
    UniqueFd in_;
    UniqueFd out_;
    UniqueFd err_;
    std::string input_;
    std::size_t fed_ = 0;
    Result result_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// Runs to the end; the test fails if anything is left behind.
Result run(std::vector<std::string> arguments, Settings settings = {});

/// Path of rb2run, and of the step-by-step client program.
std::string rb2run();
std::string client();
/// `arguments` for rb2run: -n RANKS CLIENT STEPS...
std::vector<std::string> client_job(int ranks, const std::vector<std::string>& steps);

/// What can be read of a file; empty if there is none.
std::string read_file(const std::filesystem::path& path);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace rb2::launcher::test
