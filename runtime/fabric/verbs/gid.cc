#include "runtime/fabric/verbs/gid.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace rb2::fabric::verbs {
namespace {

constexpr std::array<std::uint8_t, 12> kIpv4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// Smaller is better.
auto rank_of(const GidEntry& entry) {
    constexpr std::array<int, 3> by_type{1, 2, 0};
    return std::tuple(by_type[static_cast<std::size_t>(entry.type)], is_link_local(entry.gid),
                      !is_ipv4(entry.gid), entry.index);
}

/// Larger is better; the same with the sides exchanged.
auto affinity(const GidEntry& a, const GidEntry& b) {
    const bool routable = !is_link_local(a.gid) && !is_link_local(b.gid);
    // IPv4 first: bits compare inside a family only, a mapped address has 96 from the start.
    return std::tuple(a.type == GidType::roce_v2, routable, is_ipv4(a.gid), common_bits(a.gid, b.gid),
                      std::min(a.gid, b.gid), std::max(a.gid, b.gid));
}

bool fit(const GidEntry& a, const GidEntry& b) {
    return a.type == b.type && is_ipv4(a.gid) == is_ipv4(b.gid) &&
           is_link_local(a.gid) == is_link_local(b.gid);
}

}  // namespace

bool is_empty(const Gid& gid) noexcept { return gid == Gid{}; }

bool is_ipv4(const Gid& gid) noexcept {
    return std::equal(kIpv4Prefix.begin(), kIpv4Prefix.end(), gid.bytes.begin());
}

bool is_link_local(const Gid& gid) noexcept {
    if (is_ipv4(gid)) return gid.bytes[12] == 169 && gid.bytes[13] == 254;
    return gid.bytes[0] == 0xfe && (gid.bytes[1] & 0xc0) == 0x80;
}

int common_bits(const Gid& a, const Gid& b) noexcept {
    int bits = 0;
    for (std::size_t at = 0; at < a.bytes.size(); ++at) {
        const auto different = static_cast<std::uint8_t>(a.bytes[at] ^ b.bytes[at]);
        if (different != 0) return bits + std::countl_zero(different);
        bits += 8;
    }
    return bits;
}

const char* name_of(GidType type) noexcept {
    constexpr std::array names{"InfiniBand", "RoCEv1", "RoCEv2"};
    return names[static_cast<std::size_t>(type)];
}

std::string to_string(const Gid& gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool ipv4 = is_ipv4(gid);
    inet_ntop(ipv4 ? AF_INET : AF_INET6, gid.bytes.data() + (ipv4 ? 12 : 0), text.data(), text.size());
    return text.data();
}

std::vector<GidEntry> offer(std::span<const GidEntry> table, std::size_t most) {
    std::vector<GidEntry> entries;
    std::ranges::copy_if(table, std::back_inserter(entries),
                         [](const GidEntry& entry) { return !is_empty(entry.gid); });
    std::ranges::sort(entries, {}, rank_of);
    entries.resize(std::min(entries.size(), most));
    return entries;
}

std::optional<GidPair> choose_pair(std::span<const GidEntry> own, std::span<const GidEntry> peer) {
    std::optional<GidPair> best;
    for (std::size_t i = 0; i < own.size(); ++i) {
        for (std::size_t j = 0; j < peer.size(); ++j) {
            if (!fit(own[i], peer[j])) continue;
            if (!best || affinity(own[i], peer[j]) > affinity(own[best->own], peer[best->peer]))
                best = GidPair{i, j};
        }
    }
    return best;
}

}  // namespace rb2::fabric::verbs
