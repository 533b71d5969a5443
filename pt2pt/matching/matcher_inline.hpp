#pragma once
// The message path of Matcher, inline. Included by matcher.hpp only; everything rare is in matcher.cc.

#include <algorithm>
#include <utility>

#include "pt2pt/matching/matcher.hpp"

namespace rb2::matching {

inline void Matcher::count_posted(Envelope pattern, PatternClass which) {
    ++posted_of_class_[static_cast<std::size_t>(which)];
    if (pattern.source == kAnySource) return;
    assert(pattern.source >= 0 && "a source is a world rank or kAnySource");
    const auto source = static_cast<std::size_t>(pattern.source);
    if (source >= posted_from_.size()) [[unlikely]]
        grow_sources(source);
    ++posted_from_[source];
}

inline void Matcher::uncount_posted(Envelope pattern, PatternClass which) {
    --posted_of_class_[static_cast<std::size_t>(which)];
    note_longest();
    ++left_;
    if (pattern.source != kAnySource) --posted_from_[static_cast<std::size_t>(pattern.source)];
}

inline void Matcher::post(PostedEntry& entry) {
    if (runs_with(entry.envelope)) [[likely]]
        post_at_once(entry);
    else
        post_apart(entry);
}

/// Whether a receive with `pattern` belongs to the run, or begins one.
inline bool Matcher::runs_with(Envelope pattern) const {
    return run_ != nullptr ? run_->envelope == pattern : posted_count() == 0;
}

inline bool Matcher::takes_at_once(Envelope pattern) const {
    return unexpected_count_ == 0 && runs_with(pattern);
}

inline void Matcher::post_at_once(PostedEntry& entry) {
    assert(!entry.queued());
    ++posted_ever_;
    push_back(run_, entry, PostedAccess::links);
}

/// Before receives are taken out: between two such times the queue only grows.
inline void Matcher::note_longest() {
    if (posted_count() > statistics_.longest_posted) [[unlikely]]
        statistics_.longest_posted = posted_count();
}

/// In posting order.
inline void Matcher::file(PostedEntry& entry) {
    entry.order_ = ++posted_order_;
    posted_.push_back(entry);
    count_posted(entry.envelope, class_of(entry.envelope));
}

inline void Matcher::drop_from_run(PostedEntry& entry) {
    take_out(run_, entry, PostedAccess::links);
    note_longest();
    ++left_;
}

inline PostedEntry* Matcher::match_arrival(Envelope exact) {
    assert(class_of(exact) == PatternClass::exact);
    PostedEntry* const entry = run_ != nullptr       ? take_from_run(exact)
                               : posted_count() != 0 ? take_filed(exact)
                                                     : nullptr;
    if (entry == nullptr) ++missed_;
    return entry;
}

inline PostedEntry* Matcher::take_from_run(Envelope exact) {
    PostedEntry* const oldest = run_;
    if (oldest->envelope != exact && !matches(oldest->envelope, exact)) return nullptr;
    drop_from_run(*oldest);
    return oldest;
}

template <class Take>
inline std::size_t Matcher::take_stream(Take&& take) {
    note_longest();
    const std::size_t taken = take_front(run_, PostedAccess::links, take);
    left_ += taken;
    return taken;
}

inline void Matcher::remove(PostedEntry& entry) {
    assert(entry.queued());
    ++taken_back_;
    if (run_ != nullptr) {
        drop_from_run(entry);
        return;
    }
    posted_.remove(entry);
    uncount_posted(entry.envelope, class_of(entry.envelope));
}

inline std::size_t Matcher::stream_count() const {
    return run_ != nullptr && class_of(run_->envelope) == PatternClass::exact ? posted_count() : 0;
}

inline bool Matcher::could_match_from(std::int32_t source) const {
    if (run_ != nullptr) return run_->envelope.source == source || run_->envelope.source == kAnySource;
    const auto at = static_cast<std::size_t>(source);
    const bool named = at < posted_from_.size() && posted_from_[at] != 0;
    return named || posted_of_class_[static_cast<std::size_t>(PatternClass::any_source)] != 0 ||
           posted_of_class_[static_cast<std::size_t>(PatternClass::any_both)] != 0;
}

inline void Matcher::add_to_wildcard_indexes(UnexpectedEntry& entry) {
    entry.wildcard_ = wildcard_links_.acquire();
    const auto add = [&entry](auto& index) {
        if (index) index->push_back(entry);
    };
    std::apply([&](auto&... index) { (add(index), ...); }, wildcard_);
}

inline void Matcher::remove_from_wildcard_indexes(UnexpectedEntry& entry) {
    const auto drop = [&entry](auto& index) {
        if (index) index->remove(entry);
    };
    std::apply([&](auto&... index) { (drop(index), ...); }, wildcard_);
    wildcard_links_.release(std::exchange(entry.wildcard_, nullptr));
}

inline void Matcher::add_unexpected(UnexpectedEntry& entry) {
    assert(!entry.queued() && class_of(entry.envelope) == PatternClass::exact);
    entry.order_ = ++unexpected_order_;
    unexpected_.push_back(entry);
    statistics_.longest_unexpected = std::max(statistics_.longest_unexpected, ++unexpected_count_);
    if (wildcard_in_use_) add_to_wildcard_indexes(entry);
}

template <PatternClass which>
inline UnexpectedEntry* Matcher::find_wildcard(Envelope pattern) {
    auto& index = std::get<WildcardIndex<which>>(wildcard_);
    if (!index) [[unlikely]]
        build_wildcard_index<which>();
    auto* const slot = index->find(pattern);
    return slot != nullptr ? slot->oldest : nullptr;
}

inline UnexpectedEntry* Matcher::find_unexpected(Envelope pattern) {
    if (unexpected_count_ == 0) return nullptr;
    switch (class_of(pattern)) {
        case PatternClass::any_source:
            return find_wildcard<PatternClass::any_source>(pattern);
        case PatternClass::any_tag:
            return find_wildcard<PatternClass::any_tag>(pattern);
        case PatternClass::any_both:
            return find_wildcard<PatternClass::any_both>(pattern);
        case PatternClass::exact:
            break;
    }
    ExactTable::Slot* const slot = unexpected_.find(pattern);
    return slot != nullptr ? slot->oldest : nullptr;
}

inline UnexpectedEntry* Matcher::match_posted(Envelope pattern) {
    ++statistics_.match_attempts;
    UnexpectedEntry* const entry = find_unexpected(pattern);
    if (entry == nullptr) return nullptr;
    remove(*entry);
    ++statistics_.matched_unexpected;
    return entry;
}

inline void Matcher::remove(UnexpectedEntry& entry) {
    assert(entry.queued());
    unexpected_.remove(entry);
    --unexpected_count_;
    if (entry.wildcard_ != nullptr) remove_from_wildcard_indexes(entry);
}

}  // namespace rb2::matching
