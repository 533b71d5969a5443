#include "launcher/stdio/output_sink.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rb2::launcher {
namespace {

bool is_writable(int fd) {
    pollfd query{fd, POLLOUT, 0};
    return ::poll(&query, 1, 0) == 1;
}

}  // namespace

OutputSink::OutputSink(EventLoop& loop, int fd, std::function<void()> on_room)
    : loop_(loop),
      fd_(fd),
      on_room_(std::move(on_room)),
      watched_(loop.add(fd, EPOLLOUT, [this](std::uint32_t) { pump(); })) {
    loop_.pause(fd_);
}

void OutputSink::write(Source source, std::string_view text) {
    if (text.empty() || broken_) {
        return;
    }
    if (!at_line_start_ && source != last_source_) {
        waiting_ += '\n';
    }
    waiting_ += text;
    at_line_start_ = text.back() == '\n';
    last_source_ = source;
    pump();
}

void OutputSink::pump() {
    while (!empty() && write_some()) {
    }
    if (empty()) {
        waiting_.clear();
        written_ = 0;
        loop_.pause(fd_);
    } else {
        loop_.resume(fd_);
    }
    if (written_ > kHighWater) {
        waiting_.erase(0, written_);
        written_ = 0;
    }
    tell_of_change();
}

bool OutputSink::write_some() {
    if (watched_ && !is_writable(fd_)) {
        return false;
    }
    const std::size_t left = waiting_.size() - written_;
    const ssize_t count = ::write(fd_, waiting_.data() + written_, watched_ ? std::min(left, kPage) : left);
    if (count < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            fail();
        }
        return false;
    }
    written_ += static_cast<std::size_t>(count);
    return true;
}

void OutputSink::fail() {
    broken_ = true;
    written_ = waiting_.size();
    on_room_();
}

void OutputSink::tell_of_change() {
    if (congested() != told_congested_) {
        told_congested_ = congested();
        on_room_();
    }
}

}  // namespace rb2::launcher
