#include "launcher/stdio/stdio_hub.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace rb2::launcher {
namespace {

bool same_file(int a, int b) {
    struct stat stat_a {};
    struct stat stat_b {};
    return ::fstat(a, &stat_a) == 0 && ::fstat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
           stat_a.st_ino == stat_b.st_ino;
}

/// "2026-11-29 04:05:24.123 " in local time.
std::string time_of_day() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%F %T", &local);
    return fmt::format("{}.{:03} ", text.data(),
                       std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000);
}

}  // namespace

StdioHub::StdioHub(EventLoop& loop, Prefix prefix)
    : loop_(loop), prefix_(prefix), out_(loop, STDOUT_FILENO, [this] { on_sink_change(); }) {
    if (!same_file(STDOUT_FILENO, STDERR_FILENO)) {
        err_.emplace(loop, STDERR_FILENO, [this] { on_sink_change(); });
    }
}

void StdioHub::attach_output(int rank, UniqueFd from_stdout, UniqueFd from_stderr) {
    const LineAssembler lines(prefix_.rank ? fmt::format("[{}] ", rank) : std::string(),
                              prefix_.time ? &time_of_day : nullptr);
    if (from_stdout) {
        outputs_.push_back(std::make_unique<RankOutput>(loop_, out_, rank, lines, std::move(from_stdout)));
    }
    if (from_stderr) {
        outputs_.push_back(std::make_unique<RankOutput>(loop_, err(), rank, lines, std::move(from_stderr)));
    }
}

void StdioHub::attach_input(UniqueFd to_rank) { input_.emplace(loop_, STDIN_FILENO, std::move(to_rank)); }

bool StdioHub::outputs_closed() const {
    return std::all_of(outputs_.begin(), outputs_.end(), [](const auto& output) { return output->closed(); });
}

bool StdioHub::flushed() const { return out_.empty() && (!err_ || err_->empty()); }

void StdioHub::close_outputs() {
    for (const auto& output : outputs_) {
        output->close();
    }
}

void StdioHub::on_continue() {
    if (input_) {
        input_->on_continue();
    }
}

void StdioHub::on_sink_change() {
    for (const auto& output : outputs_) {
        output->on_sink_change();
    }
}

}  // namespace rb2::launcher
