#pragma once
// Base classes of what waits in the matcher. Requests derive from PostedEntry, kept messages from
// UnexpectedEntry; the links live in the entries, so queueing one never allocates.
//
// The last four bytes of both are padding that the first member of a derived class may use (Itanium C++ ABI).

#include <array>
#include <cassert>
#include <cstdint>

#include "pt2pt/matching/envelope.hpp"

namespace rb2::matching {

/// Place in a ring of entries with the same key, oldest to newest. Both null while not queued.
template <class Entry>
struct RingLinks {
    Entry* next = nullptr;
    Entry* previous = nullptr;
};

/// A receive waiting for its message. Owned by the caller, at a fixed address, until it is matched or
/// removed.
class PostedEntry {
  public:
    PostedEntry() = default;
    explicit PostedEntry(Envelope pattern) : envelope(pattern) {}
    PostedEntry(const PostedEntry&) = delete;
    PostedEntry& operator=(const PostedEntry&) = delete;
    ~PostedEntry() { assert(!queued() && "a posted receive was destroyed while the matcher still holds it"); }

    /// True from post() until the matcher returns or removes this entry.
    bool queued() const { return links_.next != nullptr; }
    /// Position in posting order among the receives that the matcher has filed; grows, never reused.
    std::uint64_t order() const { return order_; }

  private:
    friend class Matcher;
    RingLinks<PostedEntry> links_;
    std::uint64_t order_ = 0;

  public:
    /// The receive's pattern. Set before post(), constant while queued.
    Envelope envelope{};
};

class UnexpectedEntry;

/// Places of one unexpected message in the three wildcard indexes; index is the PatternClass minus one.
using WildcardLinks = std::array<RingLinks<UnexpectedEntry>, kPatternClasses - 1>;

/// A message that came before its receive. Owned by the caller, at a fixed address, until matched or removed.
class UnexpectedEntry {
  public:
    UnexpectedEntry() = default;
    explicit UnexpectedEntry(Envelope exact) : envelope(exact) {}
    UnexpectedEntry(const UnexpectedEntry&) = delete;
    UnexpectedEntry& operator=(const UnexpectedEntry&) = delete;
    ~UnexpectedEntry() {
        assert(!queued() && "an unexpected message was destroyed while the matcher still holds it");
    }

    /// True from add_unexpected() until the matcher returns or removes this entry.
    bool queued() const { return links_.next != nullptr; }
    /// Position in arrival order over the whole matcher; grows, never reused. Valid once added.
    std::uint64_t order() const { return order_; }

  private:
    friend class Matcher;
    RingLinks<UnexpectedEntry> links_;   // place in the exact index
    WildcardLinks* wildcard_ = nullptr;  // from the matcher's pool; null until a wildcard index exists
    std::uint64_t order_ = 0;

  public:
    /// The message's envelope, no wildcards. Set before add_unexpected(), constant while queued.
    Envelope envelope{};
};

static_assert(sizeof(PostedEntry) == 40, "per-request cost of matching: 36 bytes and 4 of reusable padding");
static_assert(sizeof(UnexpectedEntry) == 48,
              "per-message cost of matching: 44 bytes and 4 of reusable padding");

}  // namespace rb2::matching
