#pragma once
// Registration cache: memory registered once stays registered while the program uses it again ("pin-down
// cache": Tezuka, O'Carroll, Hori, Ishikawa, IPPS 1998; section 6 of "Minimizing the Hidden Cost of RDMA"
// says why it needs to know of every change to the address space, which is the watcher's part).
//
//   found       a cached entry covers the pages and grants the access: two short critical sections, one
//   system call of
//               about a microsecond in the userfaultfd mode, no allocation
//   not found   watch, register, enter; the least recently used idle entries make room
//   cannot      a device limit evicts idle entries and tries again; then the caller takes the copy path
//
// An entry whose memory changes is no longer found; it is deregistered when its last lease ends, because the
// device may still be at work on it. Everything may be called from any thread.

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/memory/registration/fork_mark.hpp"
#include "runtime/memory/registration/inside.hpp"
#include "runtime/memory/registration/interval_map.hpp"
#include "runtime/memory/registration/options.hpp"
#include "runtime/memory/registration/watcher.hpp"

namespace rb2::memory::registration {

/// Counts since the cache was made; `*_now` are levels.
struct Statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t uncached = 0;     ///< misses registered for one lease only: cannot be watched, or too large
    std::uint64_t evicted = 0;      ///< idle entries that made room
    std::uint64_t invalidated = 0;  ///< entries whose memory changed
    std::uint64_t refused = 0;      ///< acquire() calls that failed
    std::uint64_t stale = 0;        ///< Mode::checked: hits whose pages were not those registered. Always 0.
    std::uint64_t bytes_now = 0;
    std::uint32_t entries_now = 0;
};

class Cache;

/// The right to use a registration. Move-only; the memory stays pinned until it ends. Must end before its
/// cache.
class Lease {
  public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}
    Lease& operator=(Lease&& other) noexcept {
        std::swap(cache_, other.cache_);
        std::swap(entry_, other.entry_);
        return *this;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { release(); }

    void release() noexcept;
    [[nodiscard]] bool valid() const noexcept { return entry_ != nullptr; }
    [[nodiscard]] std::uint32_t local_key() const noexcept { return entry_->registration.local_key; }
    [[nodiscard]] std::uint32_t remote_key() const noexcept { return entry_->registration.remote_key; }
    [[nodiscard]] void* handle() const noexcept { return entry_->registration.handle; }
    /// What is registered: at least what was asked for.
    [[nodiscard]] Range pages() const noexcept { return entry_->pages; }

  private:
    friend class Cache;
    Lease(Cache* cache, Entry* entry) noexcept : cache_(cache), entry_(entry) {}

    Cache* cache_ = nullptr;
    Entry* entry_ = nullptr;
};

class Cache final : private ChangeSink {
  public:
    /// `registrar` is not owned. Throws StartupError when `options.mode` names a way that cannot work here.
    explicit Cache(Registrar& registrar, const Options& options = {});
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;
    ~Cache() override;

    /// Gives a lease on a registration of at least `memory` with at least `access`.
    ///   ok
    ///   out_of_memory      a limit, and nothing idle is left: use the copy path
    ///   invalid_argument   no bytes, memory that cannot be registered, or a forked child: use the copy path
    /// or what else the registrar answers.
    [[nodiscard]] Status acquire(std::span<const std::byte> memory, Access access, Lease& lease) noexcept;

    /// Forgets all entries; those in use end with their leases.
    void clear() noexcept;

    [[nodiscard]] Statistics statistics() const;

    /// How changes are noticed, for people: "userfaultfd", "interposed calls", "off: every operation
    /// registers (...)".
    [[nodiscard]] const std::string& how() const noexcept { return how_; }

    /// Whether registrations outlive their leases.
    [[nodiscard]] bool keeps() const noexcept { return watcher_ != nullptr; }

  private:
    friend class Lease;
    class Lock {  ///< the marker outside the lock: set before it is taken, until after it is open
      public:
        explicit Lock(std::mutex& mutex) : lock_(mutex) {}

      private:
        Inside inside_;
        std::scoped_lock<std::mutex> lock_;
    };

    bool pages_changed(Range pages) noexcept override;
    bool block_freed(Range block) noexcept override;
    bool everything_changed() noexcept override;
    void reap() noexcept override;

    void open_watcher(Mode mode);
    [[nodiscard]] bool find(Range claim, Access access, Lease& lease) noexcept;
    [[nodiscard]] Status add(Range claim, Access access, Lease& lease);
    [[nodiscard]] Status register_memory(Entry& entry) noexcept;
    [[nodiscard]] bool make_room(std::uint64_t bytes) noexcept;
    [[nodiscard]] bool unchanged(const Entry& entry, Range pages) const noexcept;
    void end_lease(Entry& entry) noexcept;
    void deregister(EntryList& dead) noexcept;
    // Under the lock:
    void enter(Entry& entry, bool watched) noexcept;
    void evict_oldest() noexcept;
    void check(Entry& entry, Range pages) noexcept;
    void drop_overlapping(Range pages, bool (*wanted)(const Entry&, Range), Range of) noexcept;
    void retire(Entry& entry, EntryList& from, EntryList& to) noexcept;
    void unwatch_uncovered(Range pages) noexcept;

    Registrar& registrar_;
    ForkMark here_;
    std::uint64_t most_bytes_;
    std::uint32_t most_count_;
    bool checked_;
    std::string how_;

    /// For all below. Whoever holds it must not free or unmap anything: the kernel could make it wait for the
    /// thread that applies changes, and that one needs the lock.
    mutable std::mutex mutex_;
    IntervalMap map_;
    EntryList busy_;     ///< leased, cached or not
    EntryList idle_;     ///< cached, nobody's; most recently used first
    EntryList pending_;  ///< being registered
    EntryList dead_;     ///< dropped while idle, to be deregistered outside the lock
    Statistics statistics_;

    std::unique_ptr<Watcher> watcher_;  ///< last: its threads use the rest
};

}  // namespace rb2::memory::registration
