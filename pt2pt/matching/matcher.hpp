#pragma once
// The one matcher above all fabrics: which receive takes which message (MPI 4.1, section 3.5, "Order").
//
//   An arriving message takes the oldest posted receive that matches it; a new receive takes the oldest
//   unexpected message that matches it. Cost is flat: it depends neither on the number of pending entries nor
//   on their mix.
//
// Follows M. Flajslik, J. Dinan, K. Underwood, "Mitigating MPI Message Matching Misery", ISC High Performance
// 2016: entries are hashed by envelope, and order annotations decide between candidates from different bins.
//
// Posted side. A message can be taken only by receives of four patterns, one per wildcard class: (s, t),
// (any, t), (s, any), (any, any) within its context. Each pattern is a hash key with a queue behind it, so an
// arrival looks up at most four keys and takes the front entry with the smallest sequence number. Classes
// without any posted receive are not looked up: without wildcards in use there is one lookup.
//
// Unexpected side. A message is always filed under its exact envelope. The first receive or probe of a
// wildcard class that meets waiting messages builds an index of all of them under that class's pattern; from
// then on arrivals are filed there too. So a wildcard receive is one lookup as well, and programs that do not
// use a class never pay for it. Taking a message out unlinks it from each index it is in.
//
// Differs from the paper in:
//   - bins hold one key, not all keys that collide, so no search inside a bin ever happens: the paper's cost
//     grows with pending entries / bins, and with the number of pending wildcard receives, which it keeps in
//     one list;
//   - wildcard receives are hashed as well (four classes), and so are the unexpected messages, for each class
//     used;
//   - tables grow; the paper's number of bins is fixed.
//
// Receives of one pattern only, as a blocking receive or a window of a stream mostly are, are filed nowhere:
// they wait in one queue (the run), whose pattern is compared with each arrival. They are filed once a
// receive of another pattern comes; a new run begins when no receive is posted.
//
// Contract: single-threaded, or all calls under one lock. Entries are owned by the caller and stay at their
// address while queued. Memory: 16 bytes per slot, two to four slots per distinct pending key, kept at its
// peak; 48 bytes per unexpected message once wildcard indexes exist, handed back after a peak. If the system
// refuses that memory, the process ends with a message. Nothing is allocated per message otherwise.

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "pt2pt/matching/entries.hpp"
#include "pt2pt/matching/envelope.hpp"
#include "pt2pt/matching/fifo_table.hpp"
#include "pt2pt/matching/wildcard_link_pool.hpp"

namespace rb2::matching {

/// What the matcher did since construction; counts of calls and entries.
struct MatchStatistics {
    std::uint64_t match_attempts = 0;      ///< match_arrival() and match_posted() calls
    std::uint64_t matched_posted = 0;      ///< arrivals that found their receive waiting
    std::uint64_t matched_unexpected = 0;  ///< receives that found their message waiting
    std::size_t longest_posted = 0;        ///< most posted receives at one time
    std::size_t longest_unexpected = 0;    ///< most unexpected messages at one time
    std::uint64_t steps = 0;  ///< hash slots looked at, over all operations: the cost, free of clocks
};

class Matcher {
  public:
    Matcher() = default;
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    /// Everything posted or added must have been matched or removed before.
    ~Matcher();

    /// Queues a receive behind all earlier ones. First ask match_posted() for a message that is already
    /// there.
    [[gnu::always_inline]] void post(PostedEntry& entry);
    /// Whether post() of a receive with `pattern` is but a few stores: no message waits, and all posted
    /// receives have that pattern. Then post_at_once() is the same.
    [[nodiscard, gnu::always_inline]] bool takes_at_once(Envelope pattern) const;
    [[gnu::always_inline]] void post_at_once(PostedEntry& entry);
    /// Removes and returns the oldest posted receive that may take a message with envelope `exact`, or null.
    [[nodiscard, gnu::always_inline]] PostedEntry* match_arrival(Envelope exact);
    /// match_arrival() for messages of the envelope that all posted receives wait for, in fewer steps:
    /// removes the receives, the oldest first, that `take(PostedEntry&)` says true to, until it says false.
    /// `take` must not use the matcher. Only while stream_count() is not 0. Returns how many were taken.
    template <class Take>
    [[gnu::always_inline]] std::size_t take_stream(Take&& take);
    /// Takes back a posted receive (cancel). It must be queued here.
    void remove(PostedEntry& entry);

    /// Queues a message behind all earlier ones. First ask match_arrival() for a receive that waits for it.
    void add_unexpected(UnexpectedEntry& entry);
    /// Removes and returns the oldest unexpected message that a receive with `pattern` may take, or null.
    [[nodiscard]] UnexpectedEntry* match_posted(Envelope pattern);
    /// Same message as match_posted() would return, left in its place (probe). Matched probe: then remove()
    /// it.
    [[nodiscard]] UnexpectedEntry* find_unexpected(Envelope pattern);
    /// Takes out an unexpected message (matched probe, drop). It must be queued here.
    void remove(UnexpectedEntry& entry);

    std::size_t posted_count() const { return posted_ever_ - left_; }
    /// Posted receives if all wait for messages of one envelope, as in a stream from one sender; else 0.
    std::size_t stream_count() const;
    /// The oldest of them; only while there are any.
    const PostedEntry& stream_front() const { return *run_; }
    std::size_t unexpected_count() const { return unexpected_count_; }

    /// True when some posted receive, in any context, names `source` (world rank >= 0) or any source. O(1).
    bool could_match_from(std::int32_t source) const;

    MatchStatistics statistics() const;

    /// Calls `visit(PostedEntry&)` in posting order, for reports. Allocates. `visit` may remove what it
    /// is given.
    template <class Visit>
    void for_each_posted(Visit&& visit) const {
        for (PostedEntry* entry : posted_in_order()) visit(*entry);
    }
    /// Calls `visit(UnexpectedEntry&)` in arrival order, for reports. Allocates. `visit` may remove what it
    /// is given.
    template <class Visit>
    void for_each_unexpected(Visit&& visit) const {
        for (UnexpectedEntry* entry : unexpected_in_order()) visit(*entry);
    }

  private:
    struct PostedAccess {
        static const Envelope& key(const PostedEntry& entry) { return entry.envelope; }
        static RingLinks<PostedEntry>& links(PostedEntry& entry) { return entry.links_; }
    };
    struct ExactAccess {
        static const Envelope& key(const UnexpectedEntry& entry) { return entry.envelope; }
        static RingLinks<UnexpectedEntry>& links(UnexpectedEntry& entry) { return entry.links_; }
    };
    template <PatternClass which>
    struct WildcardAccess {
        static Envelope key(const UnexpectedEntry& entry) { return pattern_of(entry.envelope, which); }
        static RingLinks<UnexpectedEntry>& links(UnexpectedEntry& entry) {
            return std::get<static_cast<std::size_t>(which) - 1>(*entry.wildcard_);
        }
    };
    using PostedTable = FifoTable<PostedEntry, PostedAccess>;
    using ExactTable = FifoTable<UnexpectedEntry, ExactAccess>;
    template <PatternClass which>
    using WildcardIndex = std::optional<FifoTable<UnexpectedEntry, WildcardAccess<which>>>;
    using WildcardIndexes =
        std::tuple<WildcardIndex<PatternClass::any_source>, WildcardIndex<PatternClass::any_tag>,
                   WildcardIndex<PatternClass::any_both>>;

    /// Best receive found so far for an arrival.
    struct Candidate {
        PostedTable::Slot* slot = nullptr;
        std::uint64_t order = std::numeric_limits<std::uint64_t>::max();
        PatternClass which{};
    };
    template <PatternClass which>
    void consider(Envelope exact, Candidate& best);
    [[nodiscard, gnu::always_inline]] bool runs_with(Envelope pattern) const;
    void file(PostedEntry& entry);
    void post_apart(PostedEntry& entry);
    [[gnu::always_inline]] void note_longest();
    [[gnu::always_inline]] void drop_from_run(PostedEntry& entry);
    [[gnu::always_inline]] PostedEntry* take_from_run(Envelope exact);
    PostedEntry* take_filed(Envelope exact);
    void count_posted(Envelope pattern, PatternClass which);
    void uncount_posted(Envelope pattern, PatternClass which);
    void grow_sources(std::size_t source);
    template <PatternClass which>
    UnexpectedEntry* find_wildcard(Envelope pattern);
    template <PatternClass which>
    void build_wildcard_index();
    void add_to_wildcard_indexes(UnexpectedEntry& entry);
    void remove_from_wildcard_indexes(UnexpectedEntry& entry);
    std::vector<PostedEntry*> posted_in_order() const;
    std::vector<UnexpectedEntry*> unexpected_in_order() const;

    // Posted side.
    PostedTable posted_;
    std::array<std::size_t, kPatternClasses> posted_of_class_{};
    std::vector<std::uint32_t> posted_from_;  // by exact source; receives of classes exact and any_tag
    PostedEntry* run_ = nullptr;  // oldest posted receive while all have one pattern; then none is in posted_
    // Counts that only grow: a store each for a receive posted and one taken.
    std::uint64_t posted_ever_ = 0;  // receives that were posted
    std::uint64_t left_ = 0;         // of these, no longer posted
    std::uint64_t taken_back_ = 0;   // of these, because of remove()
    std::uint64_t missed_ = 0;       // arrivals for which no receive was posted
    std::uint64_t posted_order_ = 0;
    // Unexpected side.
    ExactTable unexpected_;
    std::size_t unexpected_count_ = 0;
    std::uint64_t unexpected_order_ = 0;
    WildcardIndexes wildcard_;  // those that were needed so far
    bool wildcard_in_use_ = false;
    WildcardLinkPool wildcard_links_;

    MatchStatistics statistics_;  // without what statistics() finds
};

}  // namespace rb2::matching

#include "pt2pt/matching/matcher_inline.hpp"
