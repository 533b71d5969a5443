#include "launcher/pmix/rank_events.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {

RankEventQueue::RankEventQueue() : wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wakeup_) {
        throw LaunchError(kExitLauncher, std::string("eventfd: ") + std::strerror(errno));
    }
}

void RankEventQueue::push(RankEvent event) {
    {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }
    ::eventfd_write(wakeup_.get(), 1);
}

std::vector<RankEvent> RankEventQueue::take() {
    eventfd_t count = 0;
    ::eventfd_read(wakeup_.get(), &count);  // before taking: a later push wakes us again
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
}

}  // namespace rb2::launcher
