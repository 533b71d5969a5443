#include "runtime/wait/slice.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace rb2::wait {
namespace {

/// The kernel's struct sched_attr, first version. glibc has it from 2.41 on, and <linux/sched/types.h> does
/// not go together with <sched.h>.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0;  // of SCHED_OTHER: the slice
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

constexpr std::uint32_t kSchedOther = 0;
constexpr std::uint64_t kResetOnFork = 1;  // the one flag that a call without it would take away

/// Without a slice for threads of other policies.
SchedulingAttributes scheduling() noexcept {
    SchedulingAttributes now;
    const bool told = syscall(SYS_sched_getattr, 0, &now, sizeof now, 0U) == 0;
    return told && now.policy == kSchedOther ? now : SchedulingAttributes{};
}

}  // namespace

std::uint64_t slice_ns() noexcept { return scheduling().runtime_ns; }

bool shorten_slice() noexcept {
    const SchedulingAttributes now = scheduling();
    if (now.runtime_ns == 0) return false;
    if (now.runtime_ns <= kShortestSliceNs) return true;
    SchedulingAttributes shorter;
    shorter.nice = now.nice;
    shorter.flags = now.flags & kResetOnFork;
    shorter.runtime_ns = kShortestSliceNs;
    return syscall(SYS_sched_setattr, 0, &shorter, 0U) == 0;
}

}  // namespace rb2::wait
