#include "pt2pt/matching/matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace rb2::matching {

namespace {

template <class Entry, class Table>
std::vector<Entry*> in_order(const Table& table) {
    std::vector<Entry*> entries;
    table.for_each([&](Entry& entry) { entries.push_back(&entry); });
    std::sort(entries.begin(), entries.end(),
              [](const Entry* a, const Entry* b) { return a->order() < b->order(); });
    return entries;
}

}  // namespace

void fail_out_of_memory(std::size_t bytes, std::size_t pending) noexcept {
    fmt::print(
        stderr,
        "rb2: matching: no memory: {} bytes for pending receives or unexpected messages were refused, {} are "
        "pending. Try fewer outstanding receives, or receive messages sooner.\n",
        bytes, pending);
    std::abort();
}

Matcher::~Matcher() {
    assert(posted_count() == 0 && "posted receives must be matched or removed before the matcher goes");
    assert(unexpected_count_ == 0 && "unexpected messages must be taken or removed before the matcher goes");
}

/// Keeps in `best` the older of it and the front of the only queue of class `which` that may take `exact`.
template <PatternClass which>
void Matcher::consider(Envelope exact, Candidate& best) {
    if (posted_of_class_[static_cast<std::size_t>(which)] == 0) return;
    PostedTable::Slot* const slot = posted_.find(pattern_of(exact, which));
    if (slot == nullptr || slot->oldest->order_ > best.order) return;
    best = {slot, slot->oldest->order_, which};
}

PostedEntry* Matcher::take_filed(Envelope exact) {
    Candidate best;
    consider<PatternClass::exact>(exact, best);
    if (posted_of_class_[static_cast<std::size_t>(PatternClass::exact)] != posted_count()) {
        consider<PatternClass::any_source>(exact, best);
        consider<PatternClass::any_tag>(exact, best);
        consider<PatternClass::any_both>(exact, best);
    }
    if (best.slot == nullptr) return nullptr;
    PostedEntry& entry = posted_.pop_front(*best.slot);
    uncount_posted(entry.envelope, best.which);
    return &entry;
}

/// A receive of another pattern than the run's, or one beside filed ones.
void Matcher::post_apart(PostedEntry& entry) {
    assert(!entry.queued());
    ++posted_ever_;
    while (run_ != nullptr) {
        PostedEntry& oldest = *run_;
        take_out(run_, oldest, PostedAccess::links);
        file(oldest);
    }
    file(entry);
}

void Matcher::grow_sources(std::size_t source) {
    const std::size_t wanted = std::max(source + 1, posted_from_.size() * 2);
    try {
        posted_from_.resize(wanted);
    } catch (const std::bad_alloc&) {
        fail_out_of_memory(wanted * sizeof(posted_from_[0]), posted_count());
    }
}

template <PatternClass which>
void Matcher::build_wildcard_index() {
    try {
        auto& index = std::get<WildcardIndex<which>>(wildcard_).emplace();
        wildcard_in_use_ = true;
        for (UnexpectedEntry* entry : unexpected_in_order()) {
            if (entry->wildcard_ == nullptr) entry->wildcard_ = wildcard_links_.acquire();
            index.push_back(*entry);
        }
    } catch (const std::bad_alloc&) {
        fail_out_of_memory(unexpected_count_ * sizeof(void*), unexpected_count_);
    }
}
template void Matcher::build_wildcard_index<PatternClass::any_source>();
template void Matcher::build_wildcard_index<PatternClass::any_tag>();
template void Matcher::build_wildcard_index<PatternClass::any_both>();

std::vector<PostedEntry*> Matcher::posted_in_order() const {
    if (run_ != nullptr) {
        std::vector<PostedEntry*> entries;
        for_each(run_, PostedAccess::links, [&](PostedEntry& entry) { entries.push_back(&entry); });
        return entries;
    }
    return in_order<PostedEntry>(posted_);
}

std::vector<UnexpectedEntry*> Matcher::unexpected_in_order() const {
    return in_order<UnexpectedEntry>(unexpected_);
}

MatchStatistics Matcher::statistics() const {
    MatchStatistics all = statistics_;
    all.matched_posted = left_ - taken_back_;
    all.longest_posted = std::max(all.longest_posted, posted_count());
    all.match_attempts += all.matched_posted + missed_;
    all.steps = posted_.steps() + unexpected_.steps();
    std::apply([&](const auto&... index) { ((all.steps += index ? index->steps() : 0), ...); }, wildcard_);
    return all;
}

}  // namespace rb2::matching
