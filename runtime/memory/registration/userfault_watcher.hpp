#pragma once
// Changes to the address space as the kernel reports them (userfaultfd, "non-cooperative" events). Nothing is
// missed for want of a hook: also what the C library unmaps inside free() or when a thread ends is seen.
//
// Watched memory is registered for write-protection faults, and nothing is ever protected: no page fault
// comes, only the events. A thread that unmaps, moves or discards watched pages waits in the kernel until the
// event has been READ. If that thread is the only one of the program nobody would read; so a helper thread
// does. It must never wait for an event itself, hence never free or unmap anything: free() gives memory back
// to the kernel now and then. What it drops is deregistered by a second thread.
//
// Read is not applied: a lookup right after munmap() must not run before the helper has told the sink. The
// helper raises `applying_` before it reads, and settle() waits while it is raised. Another thread may even
// be given an address between the moment it is unmapped and the moment its event is queued; the kernel counts
// such calls under way and refuses UFFDIO_WRITEPROTECT meanwhile, so settle() tries one on a page of its own
// first.
//
// A forked child inherits neither the threads nor the watching (UFFD_FEATURE_EVENT_FORK is not asked for): it
// unmaps freely and must not use the cache.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/memory/descriptor.hpp"
#include "runtime/memory/registration/watcher.hpp"

namespace rb2::memory::registration {

class UserfaultWatcher final : public Watcher {
  public:
    /// nullptr when the kernel refuses: not built in, forbidden by a sandbox, or too old (Linux 5.11 is
    /// needed). `reason` then says why.
    [[nodiscard]] static std::unique_ptr<UserfaultWatcher> open(ChangeSink& sink, std::string& reason);

    UserfaultWatcher(const UserfaultWatcher&) = delete;
    UserfaultWatcher& operator=(const UserfaultWatcher&) = delete;
    ~UserfaultWatcher() override;

    [[nodiscard]] bool watch(Range pages, Range claim) noexcept override;
    void unwatch(Range pages) noexcept override;
    void settle() noexcept override;
    [[nodiscard]] std::string_view name() const noexcept override { return "userfaultfd"; }

  private:
    struct Threads {
        std::thread events;
        std::thread reaper;
    };

    UserfaultWatcher(ChangeSink& sink, Descriptor fault);
    void read_events() noexcept;
    bool apply_one() noexcept;
    void reap() noexcept;

    ChangeSink& sink_;
    Descriptor fault_;  ///< the events thread's: closing it wakes whoever still waits for an event
    Descriptor stop_;
    Descriptor dropped_;  ///< eventfd: the reaper has work
    pid_t owner_;
    std::byte* probe_;  ///< one watched page of our own
    std::atomic<std::uint32_t> applying_{0};
    std::atomic<bool> stopping_{false};
    std::unique_ptr<Threads> threads_;
};

}  // namespace rb2::memory::registration
