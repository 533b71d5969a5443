#include "runtime/network/fabrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "runtime/network/tcp_network.hpp"
#include "runtime/network/verbs_network.hpp"

namespace rb2::network {
namespace {

constexpr std::array kOrder{Fabric::shm, Fabric::verbs, Fabric::tcp};

/// All incoming rings of a rank and their mirrors.
constexpr std::uint64_t kBudgetBytes = 256U << 20;
constexpr std::uint64_t kMostSlots = 4096;
constexpr std::uint64_t kFewestSlots = 64;

}  // namespace

std::string_view name(Fabric fabric) noexcept {
    switch (fabric) {
        case Fabric::shm:
            return "shm";
        case Fabric::verbs:
            return "verbs";
        case Fabric::tcp:
            return "tcp";
    }
    return "?";
}

std::string names(FabricSet fabrics) {
    std::string list;
    for (const Fabric fabric : kOrder) {
        if (!fabrics.has(fabric)) continue;
        if (!list.empty()) list += ", ";
        list += name(fabric);
    }
    return list.empty() ? "none" : list;
}

FabricSet parse_fabrics(std::string_view list) {
    FabricSet fabrics;
    while (true) {
        const std::size_t comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        const auto found = std::find_if(kOrder.begin(), kOrder.end(),
                                        [word](Fabric fabric) { return name(fabric) == word; });
        if (found == kOrder.end()) {
            throw StartupError(fmt::format("unknown fabric '{}' in RB2_FABRICS; there are: {}", word,
                                           names(FabricSet::all())));
        }
        fabrics = fabrics.with(*found);
        if (comma == std::string_view::npos) return fabrics;
        list.remove_prefix(comma + 1);
    }
}

FabricSet usable(FabricSet wanted) {
    FabricSet here = FabricSet().with(Fabric::shm).with(Fabric::tcp);
#ifdef RB2_HAVE_VERBS
    if (verbs_available()) here = here.with(Fabric::verbs);
#endif
    return wanted.both(here);
}

std::optional<Fabric> choose(FabricSet a, FabricSet b, bool share_memory) noexcept {
    const FabricSet common = a.both(b);
    for (const Fabric fabric : kOrder) {
        if (common.has(fabric) && (fabric != Fabric::shm || share_memory)) return fabric;
    }
    return std::nullopt;
}

std::unique_ptr<Network> make_network(Fabric fabric, const Options& options) {
    if (fabric == Fabric::tcp) return make_tcp_network(options);
#ifdef RB2_HAVE_VERBS
    if (fabric == Fabric::verbs) return make_verbs_network(options);
#endif
    throw StartupError(fmt::format("fabric {} is not a network of this build", name(fabric)));
}

std::uint64_t network_ring_slots(std::size_t peers) noexcept {
    const std::uint64_t each = kBudgetBytes / std::max<std::uint64_t>(peers, 1) / (2 * ring::kLineBytes);
    return std::clamp(std::bit_floor(each), kFewestSlots, kMostSlots);
}

}  // namespace rb2::network
