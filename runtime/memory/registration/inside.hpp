#pragma once
// Whether the calling thread is inside the cache's critical sections. A signal handler that unmaps memory
// just then must not wait for a lock that its own thread holds.

namespace rb2::memory::registration {

class Inside {
  public:
    Inside() noexcept { ++depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { --depth_; }
    [[nodiscard]] static bool here() noexcept { return depth_ != 0; }

  private:
    static thread_local int depth_;  // NOLINT(readability-identifier-naming): private, as the rule is
};

}  // namespace rb2::memory::registration
