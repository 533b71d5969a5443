#include "launcher/placement/rank_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "launcher/cli/words.hpp"

namespace rb2::launcher {
namespace {

constexpr int kMaxNumber = 100'000;

int number(std::string_view text, const char* what) {
    const std::optional<int> value = parse_number(text, 0, kMaxNumber);
    if (!value) {
        throw std::invalid_argument(fmt::format("'{}' is no number of a {}", text, what));
    }
    return *value;
}

/// "3", "0-2" or "*".
SlotRange parse_range(std::string_view text, int package) {
    if (text == "*") {
        return {package, 0, SlotRange::kAny};
    }
    const std::size_t dash = text.find('-');
    SlotRange range{package, number(text.substr(0, dash), "core"), 0};
    range.last = dash == std::string_view::npos ? range.first : number(text.substr(dash + 1), "core");
    if (range.last < range.first) {
        throw std::invalid_argument(fmt::format("'{}': the first number is above the last", text));
    }
    return range;
}

std::vector<SlotRange> parse_slots(std::string_view text) {
    std::vector<SlotRange> slots;
    for (const std::string_view group : split(text, ";")) {
        int package = SlotRange::kAny;
        for (std::string_view item : split(group, ",")) {
            if (const std::size_t colon = item.find(':'); colon != std::string_view::npos) {
                package = number(item.substr(0, colon), "package");
                item.remove_prefix(colon + 1);
            }
            slots.push_back(parse_range(item, package));
        }
    }
    return slots;
}

std::string parse_host(std::string_view text, const std::vector<HostSpec>& hosts) {
    if (text.starts_with("+n")) {
        const int index = number(text.substr(2), "host");
        if (static_cast<std::size_t>(index) >= hosts.size()) {
            throw std::invalid_argument(
                fmt::format("{}: --host or --hostfile names {} hosts", text, hosts.size()));
        }
        return hosts[static_cast<std::size_t>(index)].name;
    }
    const std::vector<HostSpec> named = parse_host_list(text);  // checks the name
    const bool known = hosts.empty() || std::any_of(hosts.begin(), hosts.end(), [text](const HostSpec& host) {
                           return host.name == text;
                       });
    if (!known || named.size() != 1 || named.front().slots != 0) {
        throw std::invalid_argument(
            fmt::format("host {} is {}", text,
                        known ? "no single host" : "none of those that --host or --hostfile names"));
    }
    return named.front().name;
}

/// "rank N=HOST slot=LIST"; blanks may stand around "=", and within LIST behind its commas.
void add_line(std::vector<RankSlots>& ranks, const std::vector<std::string_view>& words,
              const std::vector<HostSpec>& hosts) {
    std::string line;
    for (auto word = words.begin() + 1; word != words.end(); ++word) {
        if (*word == "slot" || word->starts_with("slot=")) {
            line += ' ';
        }
        line += *word;
    }
    const std::size_t equals = line.find('=');
    const std::size_t slot = line.find(" slot=");
    if (words.front() != "rank" || equals == std::string::npos || slot == std::string::npos ||
        equals > slot) {
        throw std::invalid_argument("expected rank N=HOST slot=LIST");
    }
    const auto rank = static_cast<std::size_t>(number(std::string_view(line).substr(0, equals), "rank"));
    ranks.resize(std::max(ranks.size(), rank + 1));
    if (!ranks[rank].host.empty()) {
        throw std::invalid_argument(fmt::format("rank {} has a line already", rank));
    }
    ranks[rank].host = parse_host(std::string_view(line).substr(equals + 1, slot - equals - 1), hosts);
    ranks[rank].slots = parse_slots(std::string_view(line).substr(slot + std::string_view(" slot=").size()));
}

}  // namespace

std::vector<RankSlots> parse_rank_file(std::string_view text, const std::vector<HostSpec>& hosts) {
    std::vector<RankSlots> ranks;
    for_each_line(text, [&](const auto& words) { add_line(ranks, words, hosts); });
    if (ranks.empty()) {
        throw std::invalid_argument("no rank is named");
    }
    return ranks;
}

std::vector<RankSlots> read_rank_file(const std::string& path, const std::vector<HostSpec>& hosts) {
    const std::string text = read_text(path);
    try {
        return parse_rank_file(text, hosts);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
}

std::vector<HostSpec> hosts_of(const std::vector<RankSlots>& ranks) {
    std::vector<HostSpec> hosts;
    for (const RankSlots& rank : ranks) {
        const auto same = std::find_if(hosts.begin(), hosts.end(),
                                       [&rank](const HostSpec& host) { return host.name == rank.host; });
        if (same != hosts.end()) {
            ++same->slots;
        } else if (!rank.host.empty()) {
            hosts.push_back({rank.host, 1});
        }
    }
    return hosts;
}

}  // namespace rb2::launcher
