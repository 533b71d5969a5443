#include "runtime/fabric/tcp/region_table.hpp"

#include <fmt/format.h>

namespace rb2::fabric::tcp {

Key RegionTable::add(std::span<std::byte> memory, const void* owner, bool watched) {
    if (free_.empty()) {
        if (entries_.size() > kIndexMask) {
            throw StartupError(fmt::format(
                "tcp fabric: all {} registrations are in use; deregister memory that is done with",
                entries_.size()));
        }
        // Both grow here, so that remove() never has to.
        free_.reserve(entries_.size() + 1);
        entries_.emplace_back();
        free_.push_back(static_cast<std::uint32_t>(entries_.size() - 1));
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Entry& entry = entries_[index];
    // The generation in the upper bits is never 0, so no key is.
    const Key generation = (entry.key >> kIndexBits) + 1;
    entry = {memory, owner, generation << kIndexBits | index, watched};
    if (entry.key >> kIndexBits == 0) entry.key = Key{1} << kIndexBits | index;
    return entry.key;
}

void RegionTable::remove(Key key) noexcept {
    Entry& entry = entries_[key & kIndexMask];
    // The key stays: the next generation counts on from it. Nobody's memory is never found.
    entry.memory = {};
    entry.owner = nullptr;
    free_.push_back(key & kIndexMask);
}

}  // namespace rb2::fabric::tcp
