#include "runtime/wait/slice.hpp"

#include <linux/sched/types.h>  // glibc before 2.41 has none of it
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace rb2::wait {
namespace {

constexpr std::uint32_t kSchedOther = 0;
constexpr std::uint64_t kResetOnFork = 1;  // the one flag that a call without it would take away

/// Those of a thread of SCHED_OTHER; all zero for others.
sched_attr attributes() noexcept {
    sched_attr now{};
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0U) != 0 || now.sched_policy != kSchedOther)
        return {};
    return now;
}

}  // namespace

std::uint64_t slice_ns() noexcept { return attributes().sched_runtime; }

bool shorten_slice() noexcept {
    const sched_attr now = attributes();
    if (now.sched_runtime == 0) return false;
    if (now.sched_runtime <= kShortestSliceNs) return true;
    sched_attr shorter{};
    shorter.size = sizeof shorter;
    shorter.sched_nice = now.sched_nice;
    shorter.sched_flags = now.sched_flags & kResetOnFork;
    shorter.sched_runtime = kShortestSliceNs;
    return syscall(SYS_sched_setattr, 0, &shorter, 0U) == 0;
}

}  // namespace rb2::wait
