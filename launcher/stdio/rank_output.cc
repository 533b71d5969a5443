#include "launcher/stdio/rank_output.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rb2::launcher {

RankOutput::RankOutput(EventLoop& loop, OutputSink& sink, OutputSink::Source source, LineAssembler lines,
                       UniqueFd pipe)
    : loop_(loop), sink_(sink), source_(source), lines_(std::move(lines)), pipe_(std::move(pipe)) {
    if (!loop_.add(pipe_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); })) {
        pipe_.reset();
    }
    on_sink_change();
}

void RankOutput::on_readable() {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (count > 0) {
        sink_.write(source_, lines_.push({buffer.data(), static_cast<std::size_t>(count)}));
        on_sink_change();
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        close();
    }
}

void RankOutput::on_sink_change() {
    if (closed()) {
        return;
    }
    if (sink_.broken()) {
        close();
    } else if (sink_.congested()) {
        loop_.pause(pipe_.get());
    } else {
        loop_.resume(pipe_.get());
    }
}

void RankOutput::close() {
    if (pipe_) {
        loop_.remove(pipe_.get());
        pipe_.reset();
        sink_.write(source_, lines_.flush());
    }
}

}  // namespace rb2::launcher
