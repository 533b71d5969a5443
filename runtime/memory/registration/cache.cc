#include "runtime/memory/registration/cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "runtime/memory/registration/page_frames.hpp"

namespace rb2::memory::registration {

void Lease::release() noexcept {
    if (entry_ == nullptr) return;
    cache_->end_lease(*entry_);
    entry_ = nullptr;
    cache_ = nullptr;
}

Status Cache::acquire(std::span<const std::byte> memory, Access access, Lease& lease) noexcept {
    lease.release();
    if (memory.empty() || !here_.same_process()) return Status::invalid_argument;
    const Range claim = range_of(memory);
    if (watcher_) {
        watcher_->settle();
        if (find(claim, access, lease)) return Status::ok;
    }
    Status status = Status::out_of_memory;
    try {
        status = add(claim, access, lease);
    } catch (const std::bad_alloc&) {
    }
    if (status == Status::ok) return status;
    const Lock lock(mutex_);
    ++statistics_.refused;
    return status;
}

/// Takes a lease on a cached entry. In checked mode only looks at it: the caller shall register anew.
bool Cache::find(Range claim, Access access, Lease& lease) noexcept {
    const Range pages = pages_of(claim);
    const Lock lock(mutex_);
    Entry* const entry = map_.find(pages, access);
    if (entry == nullptr) {
        ++statistics_.misses;
        return false;
    }
    ++statistics_.hits;
    if (checked_) {
        check(*entry, pages);
        return false;
    }
    if (entry->users++ == 0) busy_.splice(busy_.begin(), idle_, entry->self);
    lease = Lease(this, entry);
    return true;
}

Status Cache::add(Range claim, Access access, Lease& lease) {
    EntryList fresh(1);
    Entry& entry = fresh.front();
    entry.self = fresh.begin();
    entry.claim = claim;
    entry.pages = pages_of(claim);
    entry.access = access;
    entry.users = 1;
    entry.node = new_node();
    if (checked_) entry.frames.resize(entry.pages.bytes() / kPageBytes);
    const bool room = watcher_ && make_room(entry.pages.bytes());
    {
        const Lock lock(mutex_);
        pending_.splice(pending_.begin(), fresh);
    }
    // Watch first: whatever happens to the memory from here on is seen, and spoils the entry.
    const bool watched = room && watcher_->watch(entry.pages, claim);
    const Status status = register_memory(entry);
    EntryList failed;
    EntryList outranked;
    {
        const Lock lock(mutex_);
        if (status == Status::ok) {
            enter(entry, watched);
            lease = Lease(this, &entry);
        } else {
            failed.splice(failed.begin(), pending_, entry.self);
            if (watched) unwatch_uncovered(entry.pages);
        }
        outranked.splice(outranked.begin(), dead_);
    }
    deregister(outranked);
    return status;
}

/// From pending to busy, and into the map if lookups may find it.
void Cache::enter(Entry& entry, bool watched) noexcept {
    busy_.splice(busy_.begin(), pending_, entry.self);
    statistics_.bytes_now += entry.pages.bytes();
    ++statistics_.entries_now;
    // Another thread may have entered the same memory meanwhile; in checked mode the older entry stays, to be
    // compared with again.
    if (!watched || entry.spoiled || map_.find(entry.pages, entry.access) != nullptr) {
        if (watched) unwatch_uncovered(entry.pages);
        ++statistics_.uncached;
        return;
    }
    map_.take_overlapping(
        entry.pages,
        [&](const Entry& older) {
            return entry.pages.contains(older.pages) && grants(entry.access, older.access);
        },
        [&](Entry& older) {
            older.cached = false;
            if (older.users == 0) retire(older, idle_, dead_);
        });
    map_.insert(entry);
    entry.cached = true;
}

/// A device limit: idle registrations go, oldest first and at least as much as is wanted, until it works.
Status Cache::register_memory(Entry& entry) noexcept {
    const auto memory = memory_of(entry.pages);
    Status status = registrar_.add(memory, entry.access, entry.registration);
    while (status == Status::out_of_memory) {
        EntryList dead;
        {
            const Lock lock(mutex_);
            const std::uint64_t before = statistics_.bytes_now;
            while (!idle_.empty() && before - statistics_.bytes_now < entry.pages.bytes()) evict_oldest();
            dead.splice(dead.begin(), dead_);
        }
        if (dead.empty()) return status;
        deregister(dead);
        status = registrar_.add(memory, entry.access, entry.registration);
    }
    if (status == Status::ok && checked_) read_page_frames(entry.pages, entry.frames);
    return status;
}

/// Evicts idle entries until one of `bytes` more fits under the caps. False when it will not fit now.
bool Cache::make_room(std::uint64_t bytes) noexcept {
    if (bytes > most_bytes_) return false;  // it would empty the cache for nothing
    EntryList dead;
    bool fits = false;
    {
        const Lock lock(mutex_);
        const auto room = [&] {
            return statistics_.bytes_now + bytes <= most_bytes_ && statistics_.entries_now < most_count_;
        };
        while (!room() && !idle_.empty()) evict_oldest();
        fits = room();
        dead.splice(dead.begin(), dead_);
    }
    deregister(dead);
    return fits;
}

void Cache::evict_oldest() noexcept {
    Entry& oldest = idle_.back();
    map_.take(oldest);
    oldest.cached = false;
    const Range pages = oldest.pages;
    retire(oldest, idle_, dead_);
    unwatch_uncovered(pages);
    ++statistics_.evicted;
}

void Cache::end_lease(Entry& entry) noexcept {
    if (!here_.same_process()) return;  // the parent's
    EntryList dead;
    {
        const Lock lock(mutex_);
        if (--entry.users != 0) return;
        if (entry.cached) {
            idle_.splice(idle_.begin(), busy_, entry.self);
            return;
        }
        retire(entry, busy_, dead);
    }
    deregister(dead);
}

/// Counts an entry out and moves it to a list whose entries are to be deregistered outside the lock.
void Cache::retire(Entry& entry, EntryList& from, EntryList& to) noexcept {
    statistics_.bytes_now -= entry.pages.bytes();
    --statistics_.entries_now;
    to.splice(to.begin(), from, entry.self);
}

void Cache::deregister(EntryList& dead) noexcept {
    for (const Entry& entry : dead) registrar_.remove(entry.registration);
    dead.clear();
}

/// Ends the watching of what no entry needs any more. While something nearby is being registered it is left
/// as it is: an event too many does no harm.
void Cache::unwatch_uncovered(Range pages) noexcept {
    const auto overlaps = [&](const Entry& entry) { return entry.pages.overlaps(pages); };
    if (!watcher_ || std::ranges::any_of(pending_, overlaps)) return;
    while (!pages.empty()) {
        const Range part = map_.first_uncovered(pages);
        if (part.empty()) return;
        watcher_->unwatch(part);
        pages.begin = part.end;
    }
}

/// Checked mode, under the lock: an entry with other pages behind it is an error of this cache. It is
/// counted, said once, and not found again.
void Cache::check(Entry& entry, Range pages) noexcept {
    if (unchanged(entry, pages)) return;
    if (statistics_.stale++ == 0)
        ::dprintf(STDERR_FILENO,
                  "rb2: registration cache: other pages are behind %#zx-%#zx than were registered\n",
                  entry.pages.begin, entry.pages.end);
    map_.take(entry);
    entry.cached = false;
    if (entry.users == 0) retire(entry, idle_, dead_);
}

/// Whether `pages` are still those that `entry` registered.
bool Cache::unchanged(const Entry& entry, Range pages) const noexcept {
    std::array<std::uint64_t, 256> now{};  // not a vector: nothing is allocated under the lock
    while (!pages.empty()) {
        const std::size_t count = std::min<std::size_t>(now.size(), pages.bytes() / kPageBytes);
        const std::span<std::uint64_t> part(now.data(), count);
        if (!read_page_frames({pages.begin, pages.begin + count * kPageBytes}, part)) return true;
        const auto* then = entry.frames.data() + (pages.begin - entry.pages.begin) / kPageBytes;
        if (!std::equal(part.begin(), part.end(), then)) return false;
        pages.begin += count * kPageBytes;
    }
    return true;
}

Statistics Cache::statistics() const {
    const Lock lock(mutex_);
    return statistics_;
}

}  // namespace rb2::memory::registration
