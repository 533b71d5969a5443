#pragma once
// The seam between the registration cache and what learns of changes to the address space. Without a watcher
// a registration must not outlive its operation: the kernel may put other pages behind the same address at
// any time.

#include <memory>
#include <string_view>

#include "runtime/memory/registration/range.hpp"

namespace rb2::memory::registration {

/// Who is told. Called from any thread.
class ChangeSink {
  public:
    virtual ~ChangeSink() = default;

    /// What lies behind these pages changes or has changed. Allocates and frees nothing, deregisters nothing.
    /// True when reap() has something to do.
    virtual bool pages_changed(Range pages) noexcept = 0;

    /// The program gave these bytes back to its allocator, which may unmap them unseen from now on.
    virtual bool block_freed(Range block) noexcept = 0;

    /// Anything may have changed.
    virtual bool everything_changed() noexcept = 0;

    /// Deregisters what the calls above dropped.
    virtual void reap() noexcept = 0;

  protected:
    ChangeSink() = default;
    ChangeSink(const ChangeSink&) = default;
    ChangeSink& operator=(const ChangeSink&) = default;
};

class Watcher {
  public:
    virtual ~Watcher() = default;

    /// From now on the sink learns of changes to `pages`. False when this memory cannot be watched.
    [[nodiscard]] virtual bool watch(Range pages, Range claim) noexcept = 0;

    /// No more interest in `pages`.
    virtual void unwatch(Range pages) noexcept = 0;

    /// Returns when every change that a system call of any thread has made visible has reached the sink.
    virtual void settle() noexcept = 0;

    /// For people: "userfaultfd", ...
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  protected:
    Watcher() = default;
    Watcher(const Watcher&) = default;
    Watcher& operator=(const Watcher&) = default;
};

}  // namespace rb2::memory::registration
