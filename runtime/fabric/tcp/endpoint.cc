// The connection behind an endpoint: sending, receiving, and its end.

#include "runtime/fabric/tcp/endpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/fabric/tcp/context.hpp"

namespace rb2::fabric::tcp {
namespace {

constexpr std::size_t kVectors = 64;

const char* words(FaultReason reason) noexcept {
    switch (reason) {
        case FaultReason::outside_memory:
            return "a place outside the memory registered for it";
        case FaultReason::misaligned_word:
            return "fetch_add at an address that is not a multiple of 8";
        case FaultReason::unasked_answer:
            return "an answer to no question";
        case FaultReason::too_many_questions:
            return "too many reads at once";
        case FaultReason::unannounced:
            return "a payload of another length than was announced";
        default:
            return "bytes that are no frame";
    }
}

std::string describe(const Inbound::Fault& fault) {
    return fmt::format("{} (frame of kind {}, {} bytes at key {:#x} + {})", words(fault.reason),
                       static_cast<unsigned>(fault.kind), fault.bytes, fault.place.key, fault.place.address);
}

std::size_t total(std::span<const iovec> vectors) noexcept {
    std::size_t bytes = 0;
    for (const iovec& vector : vectors) bytes += vector.iov_len;
    return bytes;
}

}  // namespace

Status Endpoint::flush() noexcept { return holds_ ? Status::ok : push_or_contact(); }

Status Endpoint::push_or_contact() noexcept {
    if (state_ == State::lost) return Status::peer_lost;
    if (queues_ == nullptr || queues_->out.empty()) return Status::ok;
    if (state_ == State::up) return push();
    contact();
    return Status::would_block;
}

void Endpoint::call() noexcept {
    if (state_ == State::idle || state_ == State::contacting) contact();
}

void Endpoint::contact() {
    begin_contact();
    contact_->call();
}

void Endpoint::begin_contact() {
    if (contact_ != nullptr) return;
    ContactOwner& owner = *this;
    contact_ = std::make_unique<Contact>(context_->options_, context_->poller_, owner, peer_);
    state_ = State::contacting;
    context_->contacting_.push_back(this);
}

void Endpoint::called(std::unique_ptr<Handshake> handshake) {
    if (state_ == State::idle || state_ == State::contacting) {
        begin_contact();
        return contact_->called(std::move(handshake));
    }
    static_cast<void>(handshake->welcome(state_ == State::up ? Reception::superseded : Reception::refused));
    context_->poller_.retire(std::move(handshake));
}

void Endpoint::connected(Descriptor socket, const SocketAddress& peer, const Greeting& greeting) {
    socket_ = std::move(socket);
    address_ = peer;
    greeting_ = greeting;
    if (const Status status = ready_to_post(); status != Status::ok)
        return lose("no memory for the connection");
    state_ = State::up;
    ++context_->up_;
    watch_bytes(true);
    if (state_ != State::up) return;
    context_->heat(*this);
    static_cast<void>(push());
}

void Endpoint::unreachable(std::string cause) {
    if (queues_ != nullptr && !queues_->out.empty()) return lose(std::move(cause));
    state_ = State::idle;
    cause_ = named(cause);
}

/// Hands the kernel what it takes. A short answer means that it is full: asking again would only say so.
Status Endpoint::push() noexcept {
    Outbound& out = queues_->out;
    while (!out.empty()) {
        std::array<iovec, kVectors> vectors;
        const std::span<iovec> next = std::span(vectors).first(out.gather(vectors));
        const auto wanted = static_cast<ssize_t>(total(next));
        const ssize_t count = context_->options_.io->send(socket_.get(), next);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno != EAGAIN) {
            lose(std::strerror(errno));
            return Status::peer_lost;
        }
        Counters& counters = context_->counters_;
        ++(count < 0 ? counters.refusals : counters.sends);
        if (count > 0) {
            counters.sent_bytes += static_cast<std::uint64_t>(count);
            out.sent(static_cast<std::size_t>(count));
        }
        if (count < wanted) break;
    }
    if (out.empty()) watch_room(false);
    if (out.empty()) return Status::ok;
    context_->list_unsent(*this);
    return Status::would_block;
}

/// A socket that is read without asking epoll is better unknown to it: otherwise the kernel tells epoll of
/// each packet, while the sender waits.
void Endpoint::watch(std::uint32_t events) noexcept {
    if (watched_ == events || socket_.get() < 0) return;
    const std::uint32_t before = std::exchange(watched_, events);
    Poller& poller = context_->poller_;
    if (events == 0)
        poller.remove(socket_.get());
    else if (before != 0)
        poller.change(socket_.get(), events, *this);
    else if (!poller.add(socket_.get(), events, *this) && state_ == State::up)
        lose(std::strerror(errno));
}

void Endpoint::ready(std::uint32_t events) noexcept {
    if ((events & EPOLLOUT) != 0 && state_ == State::up) static_cast<void>(push());
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
    // What nobody reads for now would be told again and again; resume() watches it anew.
    if (stalled_) return watch_bytes(false);
    if (receive(true) && state_ == State::up) context_->heat(*this);
}

/// Whether any byte came. `signalled`: epoll says that there is something, which may be the end.
bool Endpoint::receive(bool signalled) noexcept {
    if (discards_) return discard();
    if (state_ != State::up || stalled_) return false;
    bool any = false;
    bool drained = false;
    for (int i = 0; i < kReadsPerRound && !drained && !stalled_ && state_ == State::up; ++i)
        any |= receive_once(signalled, drained);
    if (state_ == State::up && answer()) static_cast<void>(push());
    return any;
}

bool Endpoint::receive_once(bool signalled, bool& drained) noexcept {
    Inbound& in = queues_->in;
    const Io& io = *context_->options_.io;
    const bool direct = in.direct();
    std::int64_t available = 1;
    if (in.by_words()) {
        available = io.available(socket_.get());
        drained = available <= 0 && !signalled;
        if (drained) return false;
    }
    std::array<iovec, 2> vectors;
    const std::size_t used = in.plan(vectors, available > 0 ? static_cast<std::uint64_t>(available) : 1);
    if (used == 0) {
        accuse();
        return false;
    }
    const std::span<iovec> places = std::span(vectors).first(used);
    const std::size_t wanted = total(places);
    const ssize_t count = io.receive(socket_.get(), places);
    ++(count > 0 ? context_->counters_.receives : context_->counters_.empty_receives);
    // Of a long payload all that was there has been taken; what comes meanwhile is for the next round.
    drained = count < static_cast<ssize_t>(wanted) || (direct && in.direct());
    if (count <= 0) {
        end_of_stream(count);
        return false;
    }
    context_->counters_.received_bytes += static_cast<std::uint64_t>(count);
    obey(in.received(static_cast<std::size_t>(count)));
    return true;
}

/// What a result of 0 or less means.
void Endpoint::end_of_stream(std::int64_t count) noexcept {
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count == 0 && queues_->in.left() && queues_->in.between_frames()) return leave();
    if (count < 0) return lose(std::strerror(errno));
    lose(queues_->in.between_frames() ? "the peer closed the connection: its process has ended"
                                      : "the peer closed the connection in the middle of a message");
}

bool Endpoint::discard() noexcept {
    std::array<std::byte, 4096> scratch;
    iovec vector{scratch.data(), scratch.size()};
    const ssize_t count = context_->options_.io->receive(socket_.get(), {&vector, 1});
    if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return count > 0;
    discards_ = false;
    close();
    return false;
}

void Endpoint::obey(Inbound::Verdict verdict) noexcept {
    stalled_ = verdict == Inbound::Verdict::stalled || verdict == Inbound::Verdict::placing;
    if (verdict == Inbound::Verdict::fault) accuse();
    if (verdict == Inbound::Verdict::accused) {
        lose(fmt::format("the peer refused what this rank sent: {}", describe(queues_->in.fault())),
             Status::invalid_argument);
    }
}

/// The peer's stream is at fault: tells it why, and reads on without listening, because a connection closed
/// with bytes unread is reset and the reason might be lost with it.
void Endpoint::accuse() noexcept {
    const Inbound::Fault fault = queues_->in.fault();
    Outbound& out = queues_->out;
    if (out.takes(sizeof(FrameHeader), 0, false)) {
        append(FrameHeader::make(FrameKind::fault, 0, fault.place, static_cast<std::uint32_t>(fault.reason)),
               {});
        discards_ = push() == Status::ok && ::shutdown(socket_.get(), SHUT_WR) == 0;
    }
    if (state_ == State::up) lose(fmt::format("the peer sent {}", describe(fault)));
}

void Endpoint::close() noexcept {
    if (socket_.get() < 0) return;
    watch(0);
    socket_ = Descriptor();
}

/// Says good-bye behind all that was posted.
void Endpoint::part() noexcept {
    if (state_ != State::up) return;
    if (!said_good_bye_ && queues_->out.takes(sizeof(FrameHeader), 0, false)) {
        append(FrameHeader::make(FrameKind::leave, 0, {}, 0), {});
        said_good_bye_ = true;
    }
    if (push() != Status::ok || !said_good_bye_ || shut_) return;
    shut_ = true;
    ::shutdown(socket_.get(), SHUT_WR);
}

/// The peer has ended in good order.
void Endpoint::leave() noexcept {
    part();
    if (state_ != State::up) return;
    const bool lossless = queues_->out.empty() && queues_->in.nothing_asked();
    lose("has ended in good order");
    if (!lossless) return;
    loss_untold_ = Status::ok;
    context_->lost_.pop_back();
}

std::string Endpoint::named(std::string_view cause) const {
    return address_.ip.family == Family::none
               ? fmt::format("rank {}: {}", peer_, cause)
               : fmt::format("rank {} at {}: {}", peer_, address_.text(), cause);
}

void Endpoint::lose(std::string cause, Status first) noexcept {
    if (state_ == State::up) --context_->up_;
    state_ = State::lost;
    cause_ = named(cause);
    loss_untold_ = first;
    stalled_ = false;
    if (queues_ != nullptr) {
        queues_->out.fail(Status::peer_lost);
        queues_->in.fail(Status::peer_lost);
    }
    context_->cool(*this);
    context_->lost_.push_back(this);
    if (!discards_) close();
}

void Endpoint::place(std::span<std::byte> place, std::uint64_t bytes) noexcept {
    if (state_ == State::lost) return;
    queues_->in.place(place, bytes);
    if (stalled_) resume();
}

/// What waits for room or for its place is in the buffer: no event of the socket would bring it up.
void Endpoint::resume() noexcept {
    obey(queues_->in.resume());
    if (state_ == State::up && answer()) context_->list_unsent(*this);
    if (!stalled_ && hot_ == 0) watch_bytes(true);
}

void Endpoint::withdraw() noexcept {
    if (queues_ != nullptr) queues_->in.withdraw();
}

std::size_t Endpoint::take(std::span<Completion> completions) noexcept {
    std::size_t count = 0;
    if (queues_ != nullptr) {
        count = queues_->out.poll(completions);
        count += queues_->in.poll(completions.subspan(count));
    }
    if (loss_untold_ != Status::ok && count < completions.size()) {
        completions[count++] = {.status = loss_untold_};
        loss_untold_ = Status::ok;
    }
    return count;
}

std::size_t Endpoint::poll(std::span<Completion> completions) noexcept {
    std::size_t count = take(completions);
    if (count == 0 && !context_->options_.driven) {
        context_->progress();
        count = take(completions);
    }
    if (stalled_ && count != 0) resume();
    return count;
}

}  // namespace rb2::fabric::tcp
