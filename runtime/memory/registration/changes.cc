// What happens to the cache when the address space changes, and how it learns of that.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "runtime/memory/registration/cache.hpp"
#include "runtime/memory/registration/interposed_watcher.hpp"
#include "runtime/memory/registration/page_frames.hpp"
#include "runtime/memory/registration/userfault_watcher.hpp"

namespace rb2::memory::registration {
namespace {

constexpr Range kEverything{0, std::numeric_limits<std::uintptr_t>::max()};
constexpr std::uint32_t kUsualCount =
    4096;  // a watched entry may split a mapping; a process has 65530 of them

/// A quarter of the machine: what is cached is mapped by the program anyway, only held in place.
std::uint64_t usual_bytes() noexcept {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

}  // namespace

Cache::Cache(Registrar& registrar, const Options& options)
    : registrar_(registrar),
      most_bytes_(options.most_bytes != 0 ? options.most_bytes : usual_bytes()),
      most_count_(options.most_count != 0 ? options.most_count : kUsualCount),
      checked_(options.mode == Mode::checked) {
    open_watcher(options.mode);
}

void Cache::open_watcher(Mode mode) {
    if (checked_ && !page_frames_readable())
        throw StartupError(
            "registration cache: its check compares page frame numbers, which this process may not see "
            "(CAP_SYS_ADMIN); run as root or use another mode");
    std::string why_not_userfault = "not asked for";
    std::string why_not_interposed = "not asked for";
    if (mode == Mode::automatic || mode == Mode::checked || mode == Mode::userfaultfd)
        watcher_ = UserfaultWatcher::open(*this, why_not_userfault);
    if (!watcher_ && mode != Mode::userfaultfd && mode != Mode::per_operation)
        watcher_ = InterposedWatcher::open(*this, why_not_interposed);
    if (watcher_) {
        how_ = watcher_->name();
        return;
    }
    if (mode == Mode::per_operation) {
        how_ = "off: every operation registers its memory";
        return;
    }
    how_ =
        fmt::format("every operation registers its memory ({}; {})", why_not_userfault, why_not_interposed);
    if (mode != Mode::automatic)
        throw StartupError(
            fmt::format("registration cache: changes to memory cannot be noticed: {}; {}; let "
                        "the mode be chosen, or turn the cache off",
                        why_not_userfault, why_not_interposed));
}

Cache::~Cache() {
    if (here_.same_process()) {
        clear();
        watcher_.reset();  // its threads use the rest
        reap();
    }
    // A forked child leaves the device and the registrations to its parent.
}

/// Those among the entries overlapping `pages` that `wanted(entry, of)` accepts are found no more.
void Cache::drop_overlapping(Range pages, bool (*wanted)(const Entry&, Range), Range of) noexcept {
    map_.take_overlapping(
        pages, [&](const Entry& entry) { return wanted(entry, of); },
        [&](Entry& entry) {
            entry.cached = false;
            ++statistics_.invalidated;
            // Only beside the change: what it concerns may be somebody else's already.
            unwatch_uncovered({entry.pages.begin, std::min(pages.begin, entry.pages.end)});
            unwatch_uncovered({std::max(pages.end, entry.pages.begin), entry.pages.end});
            if (entry.users == 0) retire(entry, idle_, dead_);
        });
    for (Entry& entry : pending_)
        if (entry.pages.overlaps(pages) && wanted(entry, of)) entry.spoiled = true;
}

bool Cache::pages_changed(Range pages) noexcept {
    const Lock lock(mutex_);
    drop_overlapping(
        pages, [](const Entry&, Range) { return true; }, pages);
    return !dead_.empty();
}

bool Cache::block_freed(Range block) noexcept {
    const Lock lock(mutex_);
    // A block that merely shares a page with an entry does not take the page away: the entry's own block
    // holds it. The other way round an entry ends with its own block.
    drop_overlapping(
        pages_of(block), [](const Entry& entry, Range freed) { return entry.claim.overlaps(freed); }, block);
    return !dead_.empty();
}

bool Cache::everything_changed() noexcept { return pages_changed(kEverything); }

void Cache::reap() noexcept {
    EntryList dead;
    {
        const Lock lock(mutex_);
        dead.splice(dead.begin(), dead_);
    }
    deregister(dead);
}

void Cache::clear() noexcept {
    {
        const Lock lock(mutex_);
        while (!idle_.empty()) evict_oldest();
        const auto all = [](const Entry&, Range) { return true; };
        drop_overlapping(kEverything, all, kEverything);
    }
    reap();
}

}  // namespace rb2::memory::registration
