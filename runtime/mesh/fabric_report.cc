#include "runtime/mesh/fabric_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/topology/cpu_set.hpp"

namespace rb2::mesh {
namespace {

using bootstrap::Card;
using network::Fabric;
using network::FabricSet;

constexpr std::size_t kMostListed = 12;  ///< groups

struct Group {
    const Card* first;
    topology::CpuSet ranks;  // a set of numbers that prints as ranges

    [[nodiscard]] bool takes(const Card& card) const {
        return card.fabrics == first->fabrics && bootstrap::shares_memory(card, *first) &&
               bootstrap::host_name(card) == bootstrap::host_name(*first);
    }
    [[nodiscard]] FabricSet fabrics() const { return FabricSet(first->fabrics); }
    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(ranks.count()); }
};

std::vector<Group> groups_of(std::span<const Card> cards) {
    std::vector<Group> groups;
    for (const Card& card : cards) {
        auto group = std::find_if(groups.rbegin(), groups.rend(),
                                  [&card](const Group& known) { return known.takes(card); });
        if (group == groups.rend()) {
            groups.push_back({&card, {}});
            group = groups.rbegin();
        }
        group->ranks.add(card.rank);
    }
    return groups;
}

/// Why two ranks, which could not take it, do not use shared memory.
std::string why_no_shm(const Group& a, const Group& b) {
    if (!a.fabrics().both(b.fabrics()).has(Fabric::shm)) return "RB2_FABRICS has no shm on both sides";
    if (a.first->host.boot_id != b.first->host.boot_id) return "no shm: not one host";
    return bootstrap::same_shared_memory(a.first->host, b.first->host)
               ? "no shm: one machine, but two nodes of the launcher"
               : "no shm: one machine, but not one /dev/shm";
}

/// Why it is this fabric and none that is preferred to it.
std::string why(std::optional<Fabric> chosen, const Group& a, const Group& b) {
    if (chosen == Fabric::shm) return "one host, one /dev/shm";
    std::string reasons = why_no_shm(a, b);
    if (chosen != Fabric::verbs)
        reasons += "; no verbs: needs an RDMA device, and RB2_FABRICS with it, on both sides";
    return reasons;
}

std::string name_of(std::optional<Fabric> fabric) {
    return std::string(fabric ? network::name(*fabric) : "none");
}

char letter(std::size_t index) { return static_cast<char>('A' + index); }

std::string list_groups(const std::vector<Group>& groups) {
    std::string text;
    for (std::size_t i = 0; i < std::min(groups.size(), kMostListed); ++i) {
        text += fmt::format("rb2:   {}  rank{} {} on {}, with {}\n", letter(i),
                            groups[i].size() == 1 ? "" : "s", groups[i].ranks.to_list(),
                            bootstrap::host_name(*groups[i].first), network::names(groups[i].fabrics()));
    }
    if (groups.size() > kMostListed)
        text += fmt::format("rb2:   and {} more groups\n", groups.size() - kMostListed);
    return text;
}

std::string draw_matrix(const std::vector<Group>& groups) {
    std::string text = "rb2:    ";
    for (std::size_t i = 0; i < groups.size(); ++i) text += fmt::format("  {:<5}", letter(i));
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
    for (std::size_t i = 0; i < groups.size(); ++i) {
        text += fmt::format("rb2:   {}", letter(i));
        for (std::size_t j = 0; j < groups.size(); ++j) {
            const bool alone = i == j && groups[i].size() == 1;
            text += fmt::format("  {:<5}",
                                alone ? "-" : name_of(fabric_between(*groups[i].first, *groups[j].first)));
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

/// What one fabric and reason have in common.
struct Served {
    std::uint64_t pairs = 0;
    int ranks[2] = {};  ///< an example
};

std::string summarize(const std::vector<Group>& groups) {
    std::map<std::pair<std::string, std::string>, Served> served;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = i; j < groups.size(); ++j) {
            const Group& a = groups[i];
            const Group& b = groups[j];
            const std::uint64_t pairs = i == j ? a.size() * (a.size() - 1) / 2 : a.size() * b.size();
            if (pairs == 0) continue;
            const auto fabric = fabric_between(*a.first, *b.first);
            Served& row = served[{name_of(fabric), why(fabric, a, b)}];
            if (row.pairs == 0) {
                row.ranks[0] = a.ranks.first();
                row.ranks[1] = i == j ? hwloc_bitmap_next(a.ranks.hwloc(), a.ranks.first()) : b.ranks.first();
            }
            row.pairs += pairs;
        }
    }
    std::string text;
    for (const auto& [key, row] : served) {
        text += fmt::format("rb2:   {}: {} pair{}, as ranks {} and {}: {}\n", key.first, row.pairs,
                            row.pairs == 1 ? "" : "s", row.ranks[0], row.ranks[1], key.second);
    }
    return text;
}

}  // namespace

std::optional<Fabric> fabric_between(const Card& a, const Card& b) {
    return network::choose(FabricSet(a.fabrics), FabricSet(b.fabrics), bootstrap::shares_memory(a, b));
}

std::string describe_fabrics(std::span<const Card> cards) {
    const std::vector<Group> groups = groups_of(cards);
    std::string text = fmt::format("rb2: fabrics of {} rank{}\n", cards.size(), cards.size() == 1 ? "" : "s");
    text += list_groups(groups);
    if (groups.size() <= kMostListed) text += draw_matrix(groups);
    return text + summarize(groups);
}

}  // namespace rb2::mesh
