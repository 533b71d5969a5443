// Operations turned into frames, and answers to the peer's.

#include <atomic>
#include <cstring>
#include <limits>
#include <new>

#include "runtime/fabric/tcp/context.hpp"
#include "runtime/fabric/tcp/endpoint.hpp"

namespace rb2::fabric::tcp {

static_assert(fabric::Endpoint<Endpoint>);

namespace {

constexpr std::size_t kInline = Endpoint::kCapabilities.inline_bytes;

/// Bytes of the sources, and how many of those are to be copied. False if one cannot be read or all are too
/// long for a frame.
bool measure(std::span<const Source> sources, std::uint64_t& bytes, std::size_t& copied) noexcept {
    bytes = 0;
    copied = sizeof(FrameHeader);
    for (const Source& source : sources) {
        if (source.data == nullptr && source.bytes != 0) return false;
        if (source.bytes > kMostFrameBytes - bytes) return false;
        bytes += source.bytes;
        if (source.bytes <= kInline) copied += source.bytes;
    }
    return true;
}

/// A word that the owner of the memory may be storing into is read whole.
void copy_out(Outbound& out, std::byte* from, std::uint64_t bytes) noexcept {
    if (bytes != sizeof(std::uint64_t) || reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
        return out.copy(from, bytes);
    // Acquire: an answer that tells of something comes behind it.
    const std::uint64_t word =
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(from)).load(std::memory_order_acquire);
    out.copy(&word, sizeof word);
}

}  // namespace

Region::Region(Region&& other) noexcept
    : endpoint_(std::exchange(other.endpoint_, nullptr)), bytes_(other.bytes_), key_(other.key_) {}

Region& Region::operator=(Region&& other) noexcept {
    std::swap(endpoint_, other.endpoint_);
    std::swap(bytes_, other.bytes_);
    std::swap(key_, other.key_);
    return *this;
}

Region::~Region() {
    if (endpoint_ != nullptr) endpoint_->forget(key_);
}

Region Endpoint::register_memory(std::span<std::byte> memory) { return add_region(memory, true); }

Region Endpoint::register_unwatched(std::span<std::byte> memory) { return add_region(memory, false); }

Region Endpoint::add_region(std::span<std::byte> memory, bool watched) {
    if (memory.empty())
        throw StartupError("tcp fabric: an empty range cannot be registered; register at least one byte");
    return {*this, memory, context_->regions_.add(memory, this, watched)};
}

void Endpoint::forget(Key key) noexcept {
    if (state_ == State::up && queues_->out.refers_to(context_->regions_.memory(key)))
        lose("memory was deregistered here while the peer was reading it");
    context_->regions_.remove(key);
}

Status Endpoint::ready_to_post() noexcept {
    if (state_ == State::lost) return Status::peer_lost;
    if (queues_ == nullptr) queues_.reset(new (std::nothrow) Queues(context_->regions_, this));
    return queues_ == nullptr ? Status::out_of_memory : Status::ok;
}

/// What waits may have to go first.
bool Endpoint::takes(std::size_t copied, std::size_t sources, bool completion) noexcept {
    if (queues_->out.takes(copied, sources, completion)) return true;
    static_cast<void>(push_or_contact());
    return state_ != State::lost && queues_->out.takes(copied, sources, completion);
}

void Endpoint::append(const FrameHeader& header, std::span<const Source> sources) noexcept {
    ++context_->counters_.frames;
    queues_->out.copy(&header, sizeof header);
    for (const Source& source : sources) {
        if (source.bytes <= kInline) {
            queues_->out.copy(source.data, source.bytes);
        } else {
            queues_->out.refer(source.data, source.bytes);
        }
    }
}

Status Endpoint::post(FrameKind kind, std::span<const Source> sources, Remote remote, std::uint32_t value,
                      Signal signal) noexcept {
    if (const Status status = ready_to_post(); status != Status::ok) return status;
    std::uint64_t bytes = 0;
    std::size_t copied = 0;
    if (!measure(sources, bytes, copied)) return Status::invalid_argument;
    if (!takes(copied, sources.size(), signal.ticket != 0))
        return state_ == State::lost ? Status::peer_lost : Status::would_block;
    append(FrameHeader::make(kind, bytes, remote, value), sources);
    if (signal.ticket != 0) queues_->out.mark({.ticket = signal.ticket});
    return Status::ok;
}

Status Endpoint::follow(std::span<const std::byte> payload) noexcept {
    const Source source{payload.data(), payload.size()};
    return post(FrameKind::follow, {&source, 1}, {}, 0, kSilent);
}

Status Endpoint::write_gather(std::span<const Source> sources, Remote remote, Signal signal) noexcept {
    if (sources.size() > kCapabilities.gather_length) return Status::invalid_argument;
    return post(FrameKind::write, sources, remote, 0, signal);
}

Status Endpoint::write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal) noexcept {
    // Completion::bytes has 32 bits.
    if (source.bytes > std::numeric_limits<std::uint32_t>::max()) return Status::invalid_argument;
    return post(FrameKind::write_imm, {&source, 1}, remote, imm, signal);
}

Status Endpoint::post_question(Operation operation, FrameKind kind, std::span<const Source> sources,
                               Sink sink, Remote remote, Signal signal) noexcept {
    if (const Status status = ready_to_post(); status != Status::ok) return status;
    if (sink.bytes > kMostFrameBytes || (sink.data == nullptr && sink.bytes != 0))
        return Status::invalid_argument;
    if (queues_->in.questions_full() || !takes(sizeof(FrameHeader) + sizeof(std::uint64_t), 1, false))
        return state_ == State::lost ? Status::peer_lost : Status::would_block;
    const std::uint32_t number = queues_->in.ask(operation, sink.data, sink.bytes, signal.ticket);
    append(FrameHeader::make(kind, sink.bytes, remote, number), sources);
    return Status::ok;
}

Status Endpoint::read(Sink sink, Remote remote, Signal signal) noexcept {
    return post_question(Operation::read, FrameKind::read, {}, sink, remote, signal);
}

Status Endpoint::fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                           Signal signal) noexcept {
    if (remote.address % sizeof addend != 0) return Status::invalid_argument;
    const Source source{reinterpret_cast<const std::byte*>(&addend), sizeof addend};
    const Sink sink{reinterpret_cast<std::byte*>(before), sizeof *before};
    return post_question(Operation::fetch_add, FrameKind::fetch_add, {&source, 1}, sink, remote, signal);
}

/// Answers what the peer has asked, as far as there is room. Whether anything was.
bool Endpoint::answer() noexcept {
    bool any = false;
    auto& answers = queues_->in.answers();
    while (state_ == State::up && !answers.empty() && answer_one(answers.front())) {
        answers.pop();
        any = true;
    }
    return any;
}

bool Endpoint::answer_one(const Answer& answer) noexcept {
    Outbound& out = queues_->out;
    const bool copies = answer.kind == FrameKind::fetch_value || answer.bytes <= kInline;
    if (!out.takes(sizeof(FrameHeader) + (copies ? kInline : 0), 1, false)) return false;
    if (answer.kind == FrameKind::fetch_value) {
        append(FrameHeader::make(answer.kind, sizeof answer.word, answer.place, answer.number), {});
        out.copy(&answer.word, sizeof answer.word);
        return true;
    }
    std::byte* const from = context_->regions_.find(answer.place, answer.bytes, this);
    if (from == nullptr && answer.bytes != 0) {
        lose("memory was deregistered here before the peer had read it");
        return false;
    }
    append(FrameHeader::make(answer.kind, answer.bytes, answer.place, answer.number), {});
    if (copies) {
        copy_out(out, from, answer.bytes);
    } else {
        out.refer(from, answer.bytes);
    }
    return true;
}

}  // namespace rb2::fabric::tcp
