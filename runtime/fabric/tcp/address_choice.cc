#include "runtime/fabric/tcp/address_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "runtime/fabric/tcp/sockets.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::tcp {
namespace {

bool in_subnet(const Interface& interface, const IpAddress& address) noexcept {
    return address.family == interface.address.family &&
           common_prefix(interface.address, address) >= interface.prefix;
}

const Interface* owner_of(std::span<const Interface> own, const IpAddress& address) noexcept {
    const auto found = std::ranges::find(own, address, &Interface::address);
    return found == own.end() ? nullptr : &*found;
}

/// Why not to listen there; empty if nothing speaks against it.
std::string_view objection(const Interface& interface, const Filter& filter) {
    if (!filter.admits(interface)) return "excluded";
    if (!interface.up) return "down";
    // Of no use without the interface's name, which means nothing on another host. Each interface has one, so
    // who asks for an interface by its name does not mean it.
    if (interface.address.family == Family::v6 && interface.address.link_local()) return "link-local";
    if (filter.asks_for(interface)) return "";
    if (!interface.running) return "no carrier";
    if (interface.address.loopback()) return "loopback";
    if (interface.address.link_local()) return "link-local";
    return "";
}

void note(std::string& notes, std::string_view what, std::string_view why) {
    notes += fmt::format("{}{} {}", notes.empty() ? "" : ", ", what, why);
}

/// Better ways compare less.
struct Rank {
    bool routed;      ///< through a gateway, as far as the subnets tell
    bool other_size;  ///< both think they share a subnet, but not how large it is: one of them is misled
    bool secondary;   ///< not the address the peer itself uses for the world
    bool v6;          ///< longer headers
    int distance;     ///< bits in which source and destination differ

    // NOLINTNEXTLINE(modernize-use-nullptr): none is written here
    friend auto operator<=>(const Rank&, const Rank&) = default;
};

struct Way {
    Rank rank;
    Target target;
};

constexpr std::string_view kNoDescriptor =
    "cannot be looked up: too many open files, raise the limit (ulimit -n)";

/// Why not to call that address, or nothing and `way`.
std::string_view consider(const CardAddress& peer, std::span<const Interface> own, const Filter& filter,
                          bool same_stack, const RouteLookup& route, Way& way) {
    const SocketAddress to = peer.address();
    if (!same_stack && to.ip.loopback()) return "is a loopback address";
    if (!same_stack && owner_of(own, to.ip) != nullptr) return "exists on this host as well";
    errno = 0;
    const std::optional<IpAddress> source = route(to.ip);
    if (!source) return out_of_descriptors(errno) ? kNoDescriptor : "has no route";
    if (same_stack) {
        way = {{}, {to, {}}};
        return "";
    }
    const Interface* const through = owner_of(own, *source);
    if (source->loopback()) return "leads back to this host";
    if (through != nullptr && !filter.admits(*through)) return "leads through an interface that is excluded";
    const bool shared = through != nullptr && in_subnet(*through, to.ip);
    way.rank = {.routed = !shared,
                .other_size = shared && through->prefix != peer.prefix,
                .secondary = peer.primary == 0,
                .v6 = to.ip.family == Family::v6,
                .distance = static_cast<int>(to.ip.bits() - common_prefix(*source, to.ip))};
    way.target = {to, *source};
    return "";
}

}  // namespace

Filter::Filter(std::string_view include, std::string_view exclude)
    : include_(parse("RB2_TCP_INCLUDE", include)), exclude_(parse("RB2_TCP_EXCLUDE", exclude)) {}

Filter::Words Filter::parse(std::string_view variable, std::string_view text) {
    Words words;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        if (word.empty()) continue;
        if (const std::optional<Cidr> range = Cidr::parse(word)) {
            words.ranges.push_back(*range);
        } else if (word.find_first_of("/:") == std::string_view::npos) {
            words.names.emplace_back(word);
        } else {
            throw StartupError(fmt::format(
                "{}: '{}' is neither the name of an interface nor an address or range such as 10.1.0.0/16",
                variable, word));
        }
    }
    return words;
}

bool Filter::Words::match(const Interface& interface) const {
    return std::ranges::find(names, interface.name) != names.end() ||
           std::ranges::any_of(ranges, [&](const Cidr& range) { return range.contains(interface.address); });
}

bool Filter::admits(const Interface& interface) const {
    return (include_.empty() || include_.match(interface)) && !exclude_.match(interface);
}

bool Filter::asks_for(const Interface& interface) const {
    return include_.match(interface) && !exclude_.match(interface);
}

std::vector<Interface> choose_listening(std::span<const Interface> own, const Filter& filter,
                                        const IpAddress& primary) {
    std::vector<Interface> chosen;
    std::string notes;
    for (const Interface& one : own) {
        const std::string_view why = objection(one, filter);
        if (why.empty()) {
            chosen.push_back(one);
        } else {
            note(notes, fmt::format("{} {}", one.name, one.address.text()), why);
        }
    }
    // A host without a network can still run a job of its own.
    if (chosen.empty()) {
        std::ranges::copy_if(own, std::back_inserter(chosen), [&](const Interface& one) {
            return one.up && one.address.loopback() && filter.admits(one);
        });
    }
    if (chosen.empty()) {
        throw StartupError(
            fmt::format("tcp fabric: no network address is left to listen at ({}); change RB2_TCP_INCLUDE or "
                        "RB2_TCP_EXCLUDE",
                        notes.empty() ? "this host has none" : notes));
    }
    std::stable_partition(chosen.begin(), chosen.end(),
                          [&](const Interface& one) { return one.address == primary; });
    if (chosen.size() > kMostCardAddresses) chosen.resize(kMostCardAddresses);
    return chosen;
}

CardAddresses card_addresses(std::span<const Interface> listening, std::span<const SocketAddress> bound,
                             const IpAddress& primary) {
    CardAddresses card{};
    for (std::size_t i = 0; i < std::min({listening.size(), bound.size(), card.size()}); ++i) {
        const IpAddress& address = listening[i].address;
        card[i] = {.family = static_cast<std::uint8_t>(address.family),
                   .prefix = static_cast<std::uint8_t>(listening[i].prefix),
                   .port = bound[i].port,
                   .primary = address == primary ? 1U : 0U,
                   .bytes = address.bytes};
    }
    return card;
}

Route choose_route(std::span<const Interface> own, const Filter& filter, std::span<const CardAddress> peer,
                   bool same_stack, const RouteLookup& route) {
    Route result;
    std::vector<Way> ways;
    for (const CardAddress& one : peer) {
        if (one.family != 4 && one.family != 6) break;
        Way way{};
        const std::string_view why = consider(one, own, filter, same_stack, route, way);
        if (why.empty()) {
            ways.push_back(way);
        } else {
            note(result.left_out, one.address().text(), why);
        }
    }
    std::ranges::stable_sort(ways, {}, &Way::rank);
    for (const Way& way : ways) result.targets.push_back(way.target);
    if (result.targets.empty() && result.left_out.empty()) result.left_out = "it has told no address";
    return result;
}

}  // namespace rb2::fabric::tcp
