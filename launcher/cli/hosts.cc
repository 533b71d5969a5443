#include "launcher/cli/hosts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "launcher/cli/words.hpp"

namespace rb2::launcher {
namespace {

constexpr int kMaxSlots = 100'000;

int parse_slots(std::string_view text) {
    const std::optional<int> slots = parse_number(text, 1, kMaxSlots);
    if (!slots) {
        throw std::invalid_argument(fmt::format("'{}' is no number of ranks from 1 to {}", text, kMaxSlots));
    }
    return *slots;
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

/// "HOST", "HOST:N" or "HOST slots=N", and nothing behind it.
void add_line(std::vector<HostSpec>& hosts, const std::vector<std::string_view>& words) {
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
    for_each_line(text, [&hosts](const auto& words) { add_line(hosts, words); });
    if (hosts.empty()) {
        throw std::invalid_argument("no host is named");
    }
    return hosts;
}

std::vector<HostSpec> read_host_file(const std::string& path) {
    const std::string text = read_text(path);
    try {
        return parse_host_file(text);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace rb2::launcher
