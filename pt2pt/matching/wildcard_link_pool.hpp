#pragma once
// Link blocks for unexpected messages while wildcard indexes exist. They are kept out of UnexpectedEntry so
// that a program without wildcard receives does not pay 48 bytes for each kept message.

#include <cstddef>
#include <deque>
#include <new>
#include <vector>

#include "pt2pt/matching/entries.hpp"
#include "pt2pt/matching/fifo_table.hpp"

namespace rb2::matching {

/// Free-list pool: allocates only above its earlier peak, and hands a large peak back once all blocks are
/// free. Not thread-safe.
class WildcardLinkPool {
  public:
    /// Blocks (48 bytes each) kept for re-use when the pool runs empty.
    static constexpr std::size_t kKeptBlocks = 1024;

    /// A block with null links; goes back by release().
    WildcardLinks* acquire() {
        if (free_.empty()) return add_block();
        WildcardLinks* const block = free_.back();
        free_.pop_back();
        return block;
    }

    /// Takes back a block whose links are null again.
    void release(WildcardLinks* block) {
        free_.push_back(block);  // add_block() reserved the place
        if (free_.size() == blocks_.size() && blocks_.size() > kKeptBlocks) drop_all();
    }

    std::size_t block_count() const { return blocks_.size(); }

  private:
    [[gnu::noinline]] WildcardLinks* add_block() {
        try {
            WildcardLinks& block = blocks_.emplace_back();
            if (free_.capacity() < blocks_.size()) free_.reserve(2 * blocks_.size());
            return &block;
        } catch (const std::bad_alloc&) {
            fail_out_of_memory(sizeof(WildcardLinks), blocks_.size());
        }
    }

    [[gnu::noinline]] void drop_all() {
        free_ = {};
        blocks_ = {};
    }

    std::deque<WildcardLinks> blocks_;  // stable addresses
    std::vector<WildcardLinks*> free_;
};

}  // namespace rb2::matching
