#include "launcher/cli/hosts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace rb2::launcher {
namespace {

constexpr int kMaxSlots = 100'000;
constexpr std::string_view kBlanks = " \t\r";

int parse_slots(std::string_view text) {
    int slots = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
    if (error != std::errc{} || end != text.data() + text.size() || slots < 1 || slots > kMaxSlots) {
        throw std::invalid_argument(fmt::format("'{}' is no number of ranks from 1 to {}", text, kMaxSlots));
    }
    return slots;
}

/// What other launchers' files may say here would change the meaning: "user@host", "+n0", "^host".
void check_name(std::string_view name) {
    const bool fine =
        !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
        });
    if (!fine) {
        throw std::invalid_argument(fmt::format("'{}' is no name of a host", name));
    }
}

/// "name" or "name:n".
HostSpec parse_host(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
        throw std::invalid_argument(
            fmt::format("'{}' is no HOST:N; a host with an IPv6 address needs a name", text));
    }
    HostSpec host{std::string(text.substr(0, colon))};
    check_name(host.name);
    if (colon != std::string_view::npos) {
        host.slots = parse_slots(text.substr(colon + 1));
    }
    return host;
}

void add_host(std::vector<HostSpec>& hosts, const HostSpec& host) {
    const auto same = std::find_if(hosts.begin(), hosts.end(),
                                   [&host](const HostSpec& other) { return other.name == host.name; });
    if (same == hosts.end()) {
        hosts.push_back(host);
    } else {
        same->slots = std::max(same->slots, 1) + std::max(host.slots, 1);
    }
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// A line without its comment; nothing for an empty one.
void add_line(std::vector<HostSpec>& hosts, std::string_view line) {
    std::vector<std::string_view> words = split(line.substr(0, line.find('#')), kBlanks);
    std::erase(words, "");
    if (words.empty()) {
        return;
    }
    HostSpec host = parse_host(words.front());
    for (auto word = words.begin() + 1; word != words.end(); ++word) {
        if (!word->starts_with("slots=") || host.slots != 0) {
            throw std::invalid_argument(fmt::format("'{}' after the host; known is slots=N, once", *word));
        }
        host.slots = parse_slots(word->substr(std::strlen("slots=")));
    }
    add_host(hosts, host);
}

}  // namespace

std::vector<HostSpec> parse_host_list(std::string_view text) {
    std::vector<HostSpec> hosts;
    for (const std::string_view entry : split(text, ",")) {
        add_host(hosts, parse_host(entry));
    }
    return hosts;
}

std::vector<HostSpec> parse_host_file(std::string_view text) {
    std::vector<HostSpec> hosts;
    int number = 0;
    for (const std::string_view line : split(text, "\n")) {
        ++number;
        try {
            add_line(hosts, line);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
        }
    }
    if (hosts.empty()) {
        throw std::invalid_argument("no host is named");
    }
    return hosts;
}

std::vector<HostSpec> read_host_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {  // an empty file sets failbit, too
        const int error = errno;
        if (!file.is_open() || error == EISDIR) {
            throw std::invalid_argument(fmt::format("{}: {}", path, std::strerror(error)));
        }
    }
    try {
        return parse_host_file(text.str());
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace rb2::launcher
