#include "runtime/memory/critical_size/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "runtime/memory/descriptor.hpp"

namespace rb2::memory::critical_size {
namespace {

constexpr std::string_view kFirstLine = "rb2 critical size 1\n";
constexpr std::array<std::string_view, 3> kWorkNames{"copy", "register", "deregister"};

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' '; }, ' ');
    return text;
}

std::string header(const Subject& subject) {
    return fmt::format("{}host {}\nkernel {}\nprocessor {}\ndevice {}\n", kFirstLine, one_line(subject.host),
                       one_line(subject.kernel), one_line(subject.processor), one_line(subject.device));
}

/// FNV-1a: finds truncation and stray edits; nobody forges a cost curve.
std::uint64_t checksum(std::string_view text) noexcept {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

std::string body(const Curves& curves) {
    std::string text;
    for (const Work work : kWorks)
        for (const Buffer buffer : kBuffers)
            for (const Point& point : curves.of(work, buffer))
                text += fmt::format("{} {} {} {} {}\n", kWorkNames.at(static_cast<std::size_t>(work)),
                                    buffer.resident ? "resident" : "nonresident",
                                    buffer.huge ? "huge" : "small", point.bytes, point.ns);
    return text;
}

/// One line of body(); false when it is none.
bool read_point(const std::string& line, Curves& curves) {
    std::istringstream words(line);
    std::string work;
    std::string residency;
    std::string pages;
    Point point;
    if (!(words >> work >> residency >> pages >> point.bytes >> point.ns)) return false;
    const auto known = std::ranges::find(kWorkNames, work);
    if (known == kWorkNames.end() || point.bytes == 0 || !(point.ns > 0)) return false;
    const Buffer buffer{residency == "resident", pages == "huge"};
    curves.of(static_cast<Work>(known - kWorkNames.begin()), buffer).push_back(point);
    return true;
}

/// Empty when it cannot be read, or is nothing that save() writes.
std::string read_file(const std::filesystem::path& path) {
    constexpr std::uintmax_t most = 1U << 20;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most)
        return {};
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The model line of /proc/cpuinfo; "unknown" where it has none.
std::string processor_model() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name") || line.starts_with("CPU part"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "unknown";
}

/// Letters, digits, dots and dashes: anything else would not be one file name.
std::string file_name_part(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
    return text.substr(0, 64);
}

bool write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

std::string device_identity(std::string_view name, std::string_view firmware) {
    return fmt::format("{} firmware {}", name, firmware);
}

Subject this_host(std::string device) {
    utsname name{};
    ::uname(&name);
    return {name.nodename, fmt::format("{} {}", name.release, name.version), processor_model(),
            std::move(device)};
}

std::filesystem::path cache_directory() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
        return std::filesystem::path(cache) / "rb2";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::filesystem::path(home) / ".cache" / "rb2";
    return {};
}

std::filesystem::path file_of(const std::filesystem::path& directory, const Subject& subject) {
    // The first word of the device is its name; the rest (firmware) must not leave a file behind at each
    // change.
    const std::string device = subject.device.substr(0, subject.device.find(' '));
    return directory /
           fmt::format("critical-size-{}-{}", file_name_part(subject.host), file_name_part(device));
}

std::optional<Curves> load(const std::filesystem::path& directory, const Subject& subject) {
    if (directory.empty()) return std::nullopt;
    const std::string text = read_file(file_of(directory, subject));
    const std::string expected = header(subject);
    const std::size_t end = text.rfind("checksum ");
    if (!text.starts_with(expected) || end == std::string::npos || end < expected.size() ||
        text.substr(end) !=
            fmt::format("checksum {:016x}\n", checksum(std::string_view(text).substr(0, end))))
        return std::nullopt;
    Curves curves;
    std::istringstream lines(text.substr(expected.size(), end - expected.size()));
    for (std::string line; std::getline(lines, line);)
        if (!read_point(line, curves)) return std::nullopt;
    return curves;
}

bool save(const std::filesystem::path& directory, const Subject& subject, const Curves& curves) noexcept {
    if (directory.empty()) return false;
    try {
        std::error_code error;
        std::filesystem::create_directories(directory, error);
        std::string text = header(subject) + body(curves);
        text += fmt::format("checksum {:016x}\n", checksum(text));
        const std::filesystem::path file = file_of(directory, subject);
        std::string scratch = file.string() + ".XXXXXX";  // beside it: rename() stays within one file system
        bool complete = false;
        {
            const Descriptor made(::mkostemp(scratch.data(), O_CLOEXEC));
            if (made.get() < 0) return false;
            complete = write_all(made.get(), text) && ::fchmod(made.get(), 0644) == 0;
        }
        if (complete && ::rename(scratch.c_str(), file.c_str()) == 0) return true;
        ::unlink(scratch.c_str());
    } catch (const std::exception&) {  // no memory for the text
    }
    return false;
}

}  // namespace rb2::memory::critical_size
