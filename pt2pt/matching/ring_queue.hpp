#pragma once
// First-in-first-out queues through links inside the entries: a ring, named by its oldest entry.
//
// `links(Entry&)` gives an entry's RingLinks for this queue; both links are null while it is in none.

#include <cstddef>
#include <utility>

#include "pt2pt/matching/entries.hpp"

namespace rb2::matching {

/// Adds `entry` behind all others. `oldest` is null when there are none.
template <class Entry, class Links>
inline void push_back(Entry*& oldest, Entry& entry, const Links& links) {
    Entry* const first = oldest;
    if (first == nullptr) {
        links(entry) = {&entry, &entry};
        oldest = &entry;
        return;
    }
    Entry* const last = std::exchange(links(*first).previous, &entry);
    links(entry).next = first;
    links(*last).next = &entry;
    links(entry).previous = last;
}

/// Takes `entry` out, which is in the queue; `oldest` is null afterwards when it was the last.
template <class Entry, class Links>
inline void take_out(Entry*& oldest, Entry& entry, const Links& links) {
    const RingLinks<Entry> own = std::exchange(links(entry), {});
    if (own.next == &entry) {
        oldest = nullptr;
        return;
    }
    links(*own.next).previous = own.previous;
    links(*own.previous).next = own.next;
    if (oldest == &entry) oldest = own.next;
}

/// Takes out the oldest entries for as long as `take(Entry&)` says true, which must not touch the queue.
/// There is at least one. Returns how many were taken. The others' links are mended once, at the end.
template <class Entry, class Links, class Take>
[[gnu::always_inline]] inline std::size_t take_front(Entry*& oldest, const Links& links, Take& take) {
    Entry* entry = oldest;
    Entry* const last = links(*entry).previous;
    std::size_t taken = 0;
    while (take(*entry)) {
        ++taken;
        Entry* const next = std::exchange(links(*entry), {}).next;
        if (entry == last) {
            oldest = nullptr;
            return taken;
        }
        entry = next;
    }
    oldest = entry;
    links(*entry).previous = last;
    links(*last).next = entry;
    return taken;
}

/// Calls `visit(Entry&)` for each entry, oldest first; it may take out the entry that it is given.
template <class Entry, class Links, class Visit>
void for_each(Entry* oldest, const Links& links, Visit&& visit) {
    if (oldest == nullptr) return;
    Entry* const last = links(*oldest).previous;
    for (Entry* entry = oldest;;) {
        Entry* const next = links(*entry).next;
        visit(*entry);
        if (entry == last) return;
        entry = next;
    }
}

}  // namespace rb2::matching
