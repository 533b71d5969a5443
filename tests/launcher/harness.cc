#include "tests/launcher/harness.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

namespace rb2::launcher::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit{60};

std::string new_mark() {
    std::random_device random;
    std::ostringstream text;
    text << "rb2test-" << ::getpid() << "-" << std::hex << random() << random();
    return text.str();
}

std::array<UniqueFd, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe2");
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) {
        result.push_back(const_cast<char*>(text.c_str()));
    }
    result.push_back(nullptr);
    return result;
}

bool is_zombie(const std::string& pid) {
    const std::string stat = read_file(fs::path("/proc") / pid / "stat");
    const std::size_t end = stat.rfind(')');
    return end == std::string::npos || stat.compare(end + 2, 1, "Z") == 0;
}

/// Appends what is there; closes at the end of file.
void read_into(std::string& text, UniqueFd& fd) {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
        fd.reset();
    }
}

int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++count;
    }
    return count;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();  // not with iterators: those throw when a process in /proc vanishes
    return text.str();
}

Launch::Launch(std::vector<std::string> arguments, Settings settings) : mark_(new_mark()) {
    tmpdir_ = fs::temp_directory_path() / mark_;
    fs::create_directory(tmpdir_);
    input_ = settings.input;
    auto [child_in, in] = make_pipe();
    auto [out, child_out] = make_pipe();
    auto [err, child_err] = make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(child_in.get(), STDIN_FILENO);
        ::dup2(child_out.get(), STDOUT_FILENO);
        ::dup2(child_err.get(), STDERR_FILENO);
        exec_child(arguments, settings);
    }
    ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
    ::signal(SIGPIPE, SIG_IGN);
    in_ = std::move(in);
    out_ = std::move(out);
    err_ = std::move(err);
    if (input_.empty()) {
        in_.reset();
    }
}

void Launch::exec_child(const std::vector<std::string>& arguments, const Settings& settings) {
    ::setenv("TMPDIR", tmpdir_.c_str(), 1);
    ::setenv("RB2_TEST_MARK", mark_.c_str(), 1);
    for (const std::string& variable : settings.environment) {
        ::setenv(variable.substr(0, variable.find('=')).c_str(),
                 variable.substr(variable.find('=') + 1).c_str(), 1);
    }
    ::close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);  // whatever this test inherited itself
    ::signal(SIGPIPE, SIG_DFL);
    std::vector<std::string> command = settings.wrapper;
    command.push_back(rb2run());
    command.insert(command.end(), arguments.begin(), arguments.end());
    ::execvp(command.front().c_str(), pointers(command).data());
    std::_Exit(126);
}

Launch::~Launch() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    for (const pid_t pid : processes()) {
        ::kill(pid, SIGKILL);
    }
    std::error_code error;
    fs::remove_all(tmpdir_, error);
}

void Launch::signal(int number) const { ::kill(pid_, number); }

void Launch::feed() {
    const ssize_t count = ::write(in_.get(), input_.data() + fed_, input_.size() - fed_);
    fed_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    if (fed_ == input_.size() || (count < 0 && errno != EAGAIN)) {
        in_.reset();
    }
}

bool Launch::transfer(int timeout_ms) {
    std::array<pollfd, 3> fds{
        {{in_.get(), POLLOUT, 0}, {out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};  // -1 is skipped
    ::poll(fds.data(), fds.size(), timeout_ms);
    if (fds[0].revents != 0) {
        feed();
    }
    if (fds[1].revents != 0) {
        read_into(result_.out, out_);
    }
    if (fds[2].revents != 0) {
        read_into(result_.err, err_);
    }
    return static_cast<bool>(out_) || static_cast<bool>(err_);
}

bool Launch::wait_for_output(const std::string& text, int times) {
    return wait_for(result_.out, text, times);
}

bool Launch::wait_for_errors(const std::string& text, int times) {
    return wait_for(result_.err, text, times);
}

bool Launch::wait_for(const std::string& stream, const std::string& text, int times) {
    const auto give_up = steady_clock::now() + kLimit / 2;
    while (occurrences(stream, text) < times) {
        if (!transfer(100) || steady_clock::now() > give_up) {
            return occurrences(stream, text) >= times;
        }
    }
    return true;
}

Result Launch::finish() {
    while (transfer(100)) {
        if (steady_clock::now() - started_ > kLimit) {
            ADD_FAILURE() << "rb2run did not end in " << kLimit.count() << " s";
            ::kill(pid_, SIGKILL);
            break;
        }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    result_.elapsed = steady_clock::now() - started_;
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result_;
}

std::vector<pid_t> Launch::processes() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos && !is_zombie(name) &&
            read_file(entry.path() / "environ").find(mark_) != std::string::npos) {
            found.push_back(std::stoi(name));
        }
    }
    return found;
}

std::string Launch::leftovers_now() const {
    std::string text;
    for (const pid_t pid : processes()) {
        std::string command = read_file(fs::path("/proc") / std::to_string(pid) / "cmdline");
        std::replace(command.begin(), command.end(), '\0', ' ');
        text += "process " + std::to_string(pid) + ": " + command + "\n";
    }
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(tmpdir_, error)) {
        if (entry.path().filename().string().starts_with("tsan.")) {
            continue;  // ThreadSanitizer's own, when it is killed early
        }
        text += "file " + entry.path().string() + "\n";
    }
    for (const auto& entry : fs::directory_iterator("/dev/shm", error)) {
        if (entry.path().filename().string().starts_with("rb2-") && read_file(entry.path()) == mark_) {
            text += "segment " + entry.path().string() + "\n";
        }
    }
    return text;
}

std::string Launch::leftovers(std::chrono::milliseconds patience) const {
    const auto give_up = steady_clock::now() + patience;
    std::string text = leftovers_now();
    while (!text.empty() && steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        text = leftovers_now();
    }
    return text;
}

Result run(std::vector<std::string> arguments, Settings settings) {
    Launch launch(std::move(arguments), std::move(settings));
    Result result = launch.finish();
    EXPECT_EQ(launch.leftovers(), "");
    return result;
}

std::string rb2run() { return RB2RUN; }

std::string client() { return CLIENT; }

std::vector<std::string> client_job(int ranks, const std::vector<std::string>& steps) {
    std::vector<std::string> arguments = {"-n", std::to_string(ranks), client()};
    arguments.insert(arguments.end(), steps.begin(), steps.end());
    return arguments;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

}  // namespace rb2::launcher::test
