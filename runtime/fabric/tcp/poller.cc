#include "runtime/fabric/tcp/poller.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/status.hpp"

namespace rb2::fabric::tcp {

Poller::Poller() : owner_(::getpid()), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_.get() < 0) {
        throw StartupError(
            fmt::format("tcp fabric: no epoll descriptor ({}); raise the limit of open files (ulimit -n)",
                        std::strerror(errno)));
    }
}

bool Poller::add(int fd, std::uint32_t events, Watched& watched) noexcept {
    epoll_event event{.events = events, .data = {.ptr = &watched}};
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Poller::change(int fd, std::uint32_t events, Watched& watched) noexcept {
    epoll_event event{.events = events, .data = {.ptr = &watched}};
    // Fails only for a descriptor that is not watched, which nobody asks for.
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd) noexcept {
    if (!is_copy()) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

bool Poller::is_copy() const noexcept { return ::getpid() != owner_; }

std::size_t Poller::handle() noexcept {
    retired_.clear();
    std::array<epoll_event, kBatch> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), kBatch, 0);
    for (int i = 0; i < count; ++i) static_cast<Watched*>(events[i].data.ptr)->ready(events[i].events);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace rb2::fabric::tcp
