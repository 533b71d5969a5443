#include "launcher/sys/event_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

int timeout_ms(Deadline until) {
    if (!until) {
        return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left, 0, 3'600'000));
}

bool control(int epoll, int operation, int fd, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    return ::epoll_ctl(epoll, operation, fd, &event) == 0;
}

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) {
        throw LaunchError(kExitLauncher, std::string("epoll_create1: ") + std::strerror(errno));
    }
}

bool EventLoop::add(int fd, std::uint32_t events, Handler handler) {
    if (!control(epoll_.get(), EPOLL_CTL_ADD, fd, events)) {
        return false;
    }
    watches_[fd] = Watch{events, true, std::make_shared<Handler>(std::move(handler))};
    return true;
}

void EventLoop::pause(int fd) {
    const auto found = watches_.find(fd);
    if (found != watches_.end() && found->second.active) {
        control(epoll_.get(), EPOLL_CTL_DEL, fd, 0);
        found->second.active = false;
    }
}

void EventLoop::resume(int fd) {
    const auto found = watches_.find(fd);
    if (found != watches_.end() && !found->second.active) {
        found->second.active = control(epoll_.get(), EPOLL_CTL_ADD, fd, found->second.events);
    }
}

void EventLoop::remove(int fd) {
    pause(fd);
    watches_.erase(fd);
}

void EventLoop::run_once(Deadline until) {
    std::array<epoll_event, 64> events{};
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms(until));
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        const auto found = watches_.find(event.data.fd);
        if (found == watches_.end() || !found->second.active) {
            continue;  // removed or paused by an earlier handler of this round
        }
        const std::shared_ptr<Handler> handler = found->second.handler;
        (*handler)(event.events);
    }
}

}  // namespace rb2::launcher
