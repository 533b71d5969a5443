#include "runtime/fabric/verbs/path.hpp"

#include <algorithm>

namespace rb2::fabric::verbs {
namespace {

constexpr std::uint8_t kHopLimit = 64;
/// Inside one InfiniBand subnet, whose prefix is the first half of a GID, the LID is enough.
constexpr int kSubnetBits = 64;

}  // namespace

std::vector<GidEntry> gids_of(const Address& address) {
    std::vector<GidEntry> entries;
    const std::size_t count = std::min<std::size_t>(address.gid_count, Address::kMostGids);
    for (std::size_t i = 0; i < count; ++i)
        entries.push_back({.gid = address.gids[i], .type = address.gid_types[i]});
    return entries;
}

ibv_ah_attr path_to(const Device& device, const Address& peer, const GidPair& gids) noexcept {
    ibv_ah_attr path{};
    path.port_num = device.port();
    path.dlid = peer.lid;
    const Gid& own = device.address().gids[gids.own];
    const Gid& theirs = peer.gids[gids.peer];
    path.is_global = device.address().ethernet != 0 || common_bits(own, theirs) < kSubnetBits ? 1 : 0;
    std::ranges::copy(theirs.bytes, path.grh.dgid.raw);
    path.grh.sgid_index = static_cast<std::uint8_t>(device.gid(gids.own).index);
    path.grh.hop_limit = kHopLimit;
    return path;
}

}  // namespace rb2::fabric::verbs
