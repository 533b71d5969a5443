// At any time the event loop watches either the input (buffer empty) or the pipe to the rank (buffer not
// empty).
#include "launcher/stdio/stdin_pump.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

namespace rb2::launcher {
namespace {

bool in_background(int terminal) {
    const pid_t foreground = ::tcgetpgrp(terminal);
    return foreground > 0 && foreground != ::getpgrp();  // not a terminal: -1
}

}  // namespace

StdinPump::StdinPump(EventLoop& loop, int input, UniqueFd to_rank)
    : loop_(loop), input_(input), to_rank_(std::move(to_rank)) {
    ::fcntl(to_rank_.get(), F_SETFL, O_NONBLOCK);
    if (!loop_.add(to_rank_.get(), EPOLLOUT, [this](std::uint32_t) { on_output(); })) {
        to_rank_.reset();
        return;
    }
    input_watched_ = loop_.add(input_, EPOLLIN, [this](std::uint32_t) { on_input(); });
    loop_.pause(input_);
    want_input();
}

void StdinPump::want_input() {
    if (!to_rank_ || !buffer_.empty()) {
        return;
    }
    if (!input_watched_) {
        loop_.resume(to_rank_.get());  // a file is always ready: let the rank's pipe set the pace
        return;
    }
    loop_.pause(to_rank_.get());
    if (in_background(input_)) {
        loop_.pause(input_);
    } else {
        loop_.resume(input_);
    }
}

void StdinPump::on_input() {
    if (in_background(input_)) {
        loop_.pause(input_);  // until SIGCONT
        return;
    }
    buffer_.resize(kBufferBytes);
    const ssize_t count = ::read(input_, buffer_.data(), buffer_.size());
    buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    forwarded_ = 0;
    if (count > 0) {
        loop_.pause(input_);
        forward();
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        close();
    }
}

void StdinPump::on_output() {
    if (buffer_.empty()) {
        on_input();
    } else {
        forward();
    }
}

void StdinPump::forward() {
    const ssize_t count = ::write(to_rank_.get(), buffer_.data() + forwarded_, buffer_.size() - forwarded_);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        close();  // the rank has closed its standard input
        return;
    }
    forwarded_ += static_cast<std::size_t>(count > 0 ? count : 0);
    if (forwarded_ == buffer_.size()) {
        buffer_.clear();
        want_input();
    } else {
        loop_.resume(to_rank_.get());
    }
}

void StdinPump::close() {
    if (to_rank_) {
        loop_.remove(input_);
        loop_.remove(to_rank_.get());
        to_rank_.reset();
    }
}

}  // namespace rb2::launcher
