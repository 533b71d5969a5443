#include "runtime/memory/registration/interval_map.hpp"

#include <algorithm>

namespace rb2::memory::registration {

EntryMap::const_iterator IntervalMap::first_overlapping(const EntryMap& map, Range pages) noexcept {
    auto at = map.upper_bound(pages.begin);
    // Ends are ordered as begins are: before the first that ends too early, all do.
    while (at != map.begin() && std::prev(at)->second->pages.end > pages.begin) --at;
    return at;
}

Entry* IntervalMap::find(Range pages, Access wanted) const noexcept {
    for (unsigned set = bits(wanted); set < kAccessSets; ++set) {
        const EntryMap& map = maps_[set];
        if (map.empty() || !grants(static_cast<Access>(set), wanted)) continue;
        const auto after = map.upper_bound(pages.begin);
        if (after == map.begin()) continue;
        Entry* const candidate = std::prev(after)->second;
        if (candidate->pages.contains(pages)) return candidate;
    }
    return nullptr;
}

void IntervalMap::insert(Entry& entry) noexcept {
    entry.node.key() = entry.pages.begin;
    entry.node.mapped() = &entry;
    maps_[bits(entry.access)].insert(std::move(entry.node));
}

void IntervalMap::take(Entry& entry) noexcept {
    entry.node = maps_[bits(entry.access)].extract(entry.pages.begin);
}

std::uintptr_t IntervalMap::covered_up_to(std::uintptr_t address) const noexcept {
    std::uintptr_t end = address;
    for (const EntryMap& map : maps_) {
        const auto after = map.upper_bound(address);
        if (after != map.begin()) end = std::max(end, std::prev(after)->second->pages.end);
    }
    return end;
}

Range IntervalMap::first_uncovered(Range pages) const noexcept {
    std::uintptr_t begin = pages.begin;
    for (std::uintptr_t end = covered_up_to(begin); end != begin && begin < pages.end;
         end = covered_up_to(begin))
        begin = end;
    if (begin >= pages.end) return {};
    std::uintptr_t end = pages.end;
    for (const EntryMap& map : maps_)
        if (const auto next = map.upper_bound(begin); next != map.end()) end = std::min(end, next->first);
    return {begin, end};
}

bool IntervalMap::empty() const noexcept {
    return std::ranges::all_of(maps_, [](const EntryMap& map) { return map.empty(); });
}

EntryMap::node_type new_node() {
    EntryMap one;
    one.emplace(0, nullptr);
    return one.extract(one.begin());
}

}  // namespace rb2::memory::registration
