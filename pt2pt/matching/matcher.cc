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
    assert(posted_count_ == 0 && "posted receives must be matched or removed before the matcher goes");
    assert(unexpected_count_ == 0 && "unexpected messages must be taken or removed before the matcher goes");
}

void Matcher::grow_sources(std::size_t source) {
    const std::size_t wanted = std::max(source + 1, posted_from_.size() * 2);
    try {
        posted_from_.resize(wanted);
    } catch (const std::bad_alloc&) {
        fail_out_of_memory(wanted * sizeof(posted_from_[0]), posted_count_);
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
    if (sole_ != nullptr) return {sole_};
    return in_order<PostedEntry>(posted_);
}

std::vector<UnexpectedEntry*> Matcher::unexpected_in_order() const {
    return in_order<UnexpectedEntry>(unexpected_);
}

MatchStatistics Matcher::statistics() const {
    MatchStatistics all = statistics_;
    all.steps = sole_looks_ + posted_.steps() + unexpected_.steps();
    std::apply([&](const auto&... index) { ((all.steps += index ? index->steps() : 0), ...); }, wildcard_);
    return all;
}

}  // namespace rb2::matching
