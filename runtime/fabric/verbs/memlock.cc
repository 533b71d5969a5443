#include "runtime/fabric/verbs/memlock.hpp"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "runtime/status.hpp"

namespace rb2::fabric::verbs {
namespace {

/// Completion queue, a few queue pairs and the smallest ring. Below, creating the first queue fails on cards
/// that keep queues in user memory.
constexpr rlim_t kLeastBytes = 256U << 10;

bool may_lock_anything() noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
    if (syscall(SYS_capget, &header, data.data()) != 0) return false;
    return (data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
}

rlimit limit() noexcept {
    rlimit both{RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_MEMLOCK, &both);
    return both;
}

std::string in_words(rlim_t bytes) {
    return bytes == RLIM_INFINITY ? "unlimited" : fmt::format("{} KiB", bytes >> 10);
}

}  // namespace

void prepare_memlock() {
    rlimit both = limit();
    both.rlim_cur = both.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &both);  // no right to: the check says so
    both = limit();
    if (both.rlim_cur >= kLeastBytes || may_lock_anything()) return;
    throw StartupError(fmt::format("verbs: the limit on locked memory is {}, at least {} are needed{}",
                                   in_words(both.rlim_cur), in_words(kLeastBytes), memlock_advice(0)));
}

std::string memlock_advice(std::size_t bytes) {
    const std::string wanted = bytes == 0 ? std::string() : fmt::format(" for {} bytes", bytes);
    return fmt::format(
        "; the limit on locked memory (ulimit -l) is {} in this process{}: raise it where the ranks are "
        "started (limits.conf does not reach a daemon that is running; systemd: LimitMEMLOCK=infinity)",
        in_words(limit().rlim_cur), wanted);
}

}  // namespace rb2::fabric::verbs
