#pragma once
// One registration that the cache keeps track of.

#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "runtime/memory/registration/access.hpp"
#include "runtime/memory/registration/range.hpp"
#include "runtime/memory/registration/registrar.hpp"

namespace rb2::memory::registration {

struct Entry;
using EntryList = std::list<Entry>;
using EntryMap = std::map<std::uintptr_t, Entry*>;  ///< by first address of Entry::pages

struct Entry {
    Range claim;  ///< the bytes asked for: they lie in one block of the program's memory
    Range pages;  ///< what is registered
    Access access = Access::local_read;
    Registration registration;
    std::uint32_t users = 0;  ///< leases
    bool cached = false;      ///< found by lookups; otherwise ends with its last lease
    bool spoiled = false;     ///< its memory changed while it was being registered
    EntryList::iterator self;
    /// The map's node while the entry is not in the map: going in and out then neither allocates nor frees.
    EntryMap::node_type node;
    std::vector<std::uint64_t> frames;  ///< page frame numbers at registration; debug mode only
};

}  // namespace rb2::memory::registration
