#pragma once
// Changes to the address space as the calls that make them announce them: for where userfaultfd is refused
// and librb2_hooks.so (runtime/memory/hooks) is preloaded. The README of this folder says what is not seen.

#include <memory>
#include <string>

#include "runtime/memory/registration/watcher.hpp"

namespace rb2::memory::registration {

class InterposedWatcher final : public Watcher {
  public:
    /// nullptr unless the hooks are loaded and are what calls by name arrive at; `reason` then says what is
    /// the matter.
    [[nodiscard]] static std::unique_ptr<InterposedWatcher> open(ChangeSink& sink, std::string& reason);

    InterposedWatcher(const InterposedWatcher&) = delete;
    InterposedWatcher& operator=(const InterposedWatcher&) = delete;
    ~InterposedWatcher() override;

    /// Not for the stack of a thread that may end: the C library unmaps or discards that unseen.
    [[nodiscard]] bool watch(Range pages, Range claim) noexcept override;
    void unwatch(Range pages) noexcept override { static_cast<void>(pages); }
    void settle() noexcept override;
    [[nodiscard]] std::string_view name() const noexcept override { return "interposed calls"; }

  private:
    explicit InterposedWatcher(ChangeSink& sink) noexcept : sink_(sink) {}

    ChangeSink& sink_;
};

}  // namespace rb2::memory::registration
