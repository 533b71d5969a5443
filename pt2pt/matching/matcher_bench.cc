// Cost of the matcher on its message path, by the number of other pending entries (the argument) and by
// pattern.
//
// One operation is post + match: "posted" queues a receive and lets its message arrive; "unexpected" queues a
// message and lets its receive take it. The pending entries never match the ones that are timed. "Spread"
// walks through all pending keys, so that each operation finds its slot and entry cold in the caches near the
// core.

#include <benchmark/benchmark.h>

#include <deque>

#include "pt2pt/matching/matcher.hpp"

namespace {

using rb2::matching::Envelope;
using rb2::matching::kAnySource;
using rb2::matching::kAnyTag;
using rb2::matching::Matcher;
using rb2::matching::PostedEntry;
using rb2::matching::UnexpectedEntry;

constexpr Envelope kMessage{0, 1, 7};
constexpr Envelope kExact = kMessage;
constexpr Envelope kWildcard{0, kAnySource, 7};
constexpr Envelope kAnyBoth{0, kAnySource, kAnyTag};

/// Message number `index` of a crowd in context `context`: 64 sources, every tag used once.
Envelope crowd(std::uint32_t context, std::int64_t index) {
    return {context, static_cast<std::int32_t>(index % 64), static_cast<std::int32_t>(1000 + index)};
}

/// Entries that wait in `matcher` until the end of the scope.
template <class Entry>
class Crowd {
  public:
    Crowd(Matcher& matcher, std::int64_t count, std::uint32_t context) : matcher_(matcher) {
        for (std::int64_t i = 0; i < count; ++i) add(entries_.emplace_back(crowd(context, i)));
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    ~Crowd() {
        for (Entry& entry : entries_) matcher_.remove(entry);
    }

  private:
    void add(PostedEntry& entry) { matcher_.post(entry); }
    void add(UnexpectedEntry& entry) { matcher_.add_unexpected(entry); }
    Matcher& matcher_;
    std::deque<Entry> entries_;
};

void posted(benchmark::State& state, const Envelope& pattern) {
    Matcher matcher;
    const Crowd<PostedEntry> pending(matcher, state.range(0), kMessage.context());
    PostedEntry entry(pattern);
    for (auto _ : state) {
        matcher.post(entry);
        benchmark::DoNotOptimize(matcher.match_arrival(kMessage));
    }
}

void unexpected(benchmark::State& state, const Envelope& pattern) {
    Matcher matcher;
    // Context 1 keeps the crowd out of reach of the (any, any) pattern.
    const Crowd<UnexpectedEntry> pending(matcher, state.range(0), 1);
    UnexpectedEntry entry(kMessage);
    for (auto _ : state) {
        matcher.add_unexpected(entry);
        benchmark::DoNotOptimize(matcher.match_posted(pattern));
    }
}

/// A message arrives for a random-looking one of the pending receives, which is posted again.
void posted_spread(benchmark::State& state) {
    Matcher matcher;
    const std::int64_t count = state.range(0);
    const Crowd<PostedEntry> pending(matcher, count, 0);
    std::int64_t next = 0;
    for (auto _ : state) {
        next = (next + 7919) % count;
        matcher.post(*matcher.match_arrival(crowd(0, next)));
    }
}

/// A wildcard receive is pending as well, so that each arrival compares two classes.
void posted_mixed(benchmark::State& state) {
    Matcher matcher;
    const Crowd<PostedEntry> pending(matcher, state.range(0), kMessage.context());
    PostedEntry any({kMessage.context(), kAnySource, 5});
    matcher.post(any);
    PostedEntry entry(kExact);
    for (auto _ : state) {
        matcher.post(entry);
        benchmark::DoNotOptimize(matcher.match_arrival(kMessage));
    }
    matcher.remove(any);
}

/// The timed receive has `count` younger ones with the very same pattern behind it.
void posted_same_key(benchmark::State& state) {
    Matcher matcher;
    std::deque<PostedEntry> entries;
    for (std::int64_t i = 0; i <= state.range(0); ++i) matcher.post(entries.emplace_back(kExact));
    for (auto _ : state) matcher.post(*matcher.match_arrival(kMessage));
    for (PostedEntry& entry : entries) matcher.remove(entry);
}

void pending_counts(benchmark::internal::Benchmark* bench) {
    for (const std::int64_t count : {0, 10, 10'000, 100'000}) bench->Arg(count);
}

BENCHMARK_CAPTURE(posted, exact, kExact)->Apply(pending_counts);
BENCHMARK_CAPTURE(posted, any_source, kWildcard)->Apply(pending_counts);
BENCHMARK_CAPTURE(posted, any_both, kAnyBoth)->Apply(pending_counts);
BENCHMARK(posted_mixed)->Apply(pending_counts);
BENCHMARK(posted_same_key)->Apply(pending_counts);
BENCHMARK(posted_spread)->Arg(10)->Arg(10'000)->Arg(100'000);
BENCHMARK_CAPTURE(unexpected, exact, kExact)->Apply(pending_counts);
BENCHMARK_CAPTURE(unexpected, any_source, kWildcard)->Apply(pending_counts);
BENCHMARK_CAPTURE(unexpected, any_both, kAnyBoth)->Apply(pending_counts);

}  // namespace
