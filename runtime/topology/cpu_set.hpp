#pragma once
// A set of CPU numbers: hwloc's bitmap with value semantics.

#include <hwloc.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace rb2::topology {

/// Set of operating-system CPU numbers. Copyable; an empty set is valid.
class CpuSet {
  public:
    CpuSet();
    CpuSet(const CpuSet& other);
    CpuSet& operator=(const CpuSet& other);
    CpuSet(CpuSet&&) noexcept = default;
    CpuSet& operator=(CpuSet&&) noexcept = default;
    ~CpuSet() = default;

    /// Parses the kernel's list notation, "0-3,8"; an empty or blank text is the empty set.
    /// Throws StartupError on anything else.
    [[nodiscard]] static CpuSet from_list(const std::string& list);

    /// A copy of hwloc's bitmap.
    [[nodiscard]] static CpuSet from_hwloc(hwloc_const_bitmap_t bitmap);

    /// CPUs the calling thread may run on (sched_getaffinity), for any machine size.
    [[nodiscard]] static CpuSet of_this_thread() { return *of_process(0); }

    /// The same for any process of this host and pid namespace, whoever owns it; nothing when it has ended.
    /// Throws StartupError.
    [[nodiscard]] static std::optional<CpuSet> of_process(pid_t pid);

    [[nodiscard]] std::string to_list() const;
    [[nodiscard]] int count() const noexcept { return hwloc_bitmap_weight(bitmap_.get()); }
    [[nodiscard]] bool empty() const noexcept { return hwloc_bitmap_iszero(bitmap_.get()) != 0; }
    [[nodiscard]] bool contains(unsigned cpu) const noexcept {
        return hwloc_bitmap_isset(bitmap_.get(), cpu) != 0;
    }
    /// True when every CPU of this set is in `other`.
    [[nodiscard]] bool within(const CpuSet& other) const noexcept {
        return hwloc_bitmap_isincluded(bitmap_.get(), other.bitmap_.get()) != 0;
    }
    /// Lowest CPU number, or -1 for the empty set.
    [[nodiscard]] int first() const noexcept { return hwloc_bitmap_first(bitmap_.get()); }
    void add(unsigned cpu);

    [[nodiscard]] hwloc_const_bitmap_t hwloc() const noexcept { return bitmap_.get(); }

    friend bool operator==(const CpuSet& a, const CpuSet& b) noexcept {
        return hwloc_bitmap_isequal(a.bitmap_.get(), b.bitmap_.get()) != 0;
    }

  private:
    struct Free {
        void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
    };
    explicit CpuSet(hwloc_bitmap_t owned);

    std::unique_ptr<hwloc_bitmap_s, Free> bitmap_;
};

}  // namespace rb2::topology
