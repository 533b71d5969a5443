#include "runtime/fabric/tcp/inbound.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace rb2::fabric::tcp {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
/// Behind a long payload only so much is read into the buffer: the next one is likely long as well, and its
/// bytes are not to be copied from there.
constexpr std::size_t kShortAhead = 2048;

bool aligned(const std::byte* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place) % kWordBytes == 0;
}

/// Copies; an aligned word is stored whole.
void land(std::byte* target, const std::byte* from, std::size_t bytes) noexcept {
    if (bytes != kWordBytes || !aligned(target)) {
        if (bytes != 0) std::memcpy(target, from, bytes);
        return;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    // Release: a thread that loads the word with acquire order may read what landed before it.
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(target)).store(word, std::memory_order_release);
}

/// The most of `bytes` at `target` that ends with a whole word.
std::uint64_t whole_words(const std::byte* target, std::uint64_t bytes) noexcept {
    const std::uint64_t beyond = (reinterpret_cast<std::uintptr_t>(target) + bytes) % kWordBytes;
    return bytes > beyond ? bytes - beyond : 0;
}

}  // namespace

std::uint32_t Inbound::ask(Operation operation, std::byte* sink, std::uint64_t bytes,
                           std::uint64_t ticket) noexcept {
    question(asked_) = {operation, Status::ok, sink, bytes, ticket};
    return static_cast<std::uint32_t>(asked_++);
}

iovec Inbound::buffer_space(std::size_t most) noexcept {
    if (begin_ != 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
        end_ -= begin_;
        begin_ = 0;
    }
    return {buffer_.data() + end_, std::min(most, kBufferBytes - end_)};
}

std::size_t Inbound::plan(std::span<iovec, 2> vectors, std::uint64_t available) noexcept {
    planned_ = 0;
    if (left_ <= kWholeBytes) {  // with what is behind it
        vectors[0] = buffer_space(kBufferBytes);
        return 1;
    }
    if (current_.kind() == FrameKind::follow) {
        vectors[0] = next_placed();
    } else {
        std::byte* const target = current_place();
        if (target == nullptr) return 0;
        const std::uint64_t bytes = left_ <= available || !words_ ? left_ : whole_words(target, available);
        if (bytes == 0 || buffered() != 0) {
            // Part of a word waits in the buffer, or would have to be seen at the destination: a word at a
            // time.
            vectors[0] = buffer_space(std::min<std::size_t>(left_, kWordBytes) - buffered());
            return 1;
        }
        vectors[0] = {target, bytes};
    }
    planned_ = vectors[0].iov_len;
    if (planned_ != left_ || vectors[0].iov_base == buffer_.data()) return 1;
    vectors[1] = buffer_space(kShortAhead);
    return 2;
}

/// Of a payload that follows: the rest of its place, then what is to be dropped.
iovec Inbound::next_placed() noexcept {
    if (done_ < place_.size()) return {place_.data() + done_, std::min(left_, place_.size() - done_)};
    // Nothing is buffered while a payload lands without regard to words.
    return {buffer_.data(), std::min<std::uint64_t>(left_, kBufferBytes)};
}

Inbound::Verdict Inbound::received(std::size_t bytes) noexcept {
    const std::uint64_t landed = std::min<std::uint64_t>(bytes, planned_);
    if (planned_ != 0) {
        done_ += landed;
        left_ -= landed;
        if (left_ == 0) finish(current_);
    }
    end_ += bytes - landed;
    return parse();
}

Inbound::Verdict Inbound::parse() noexcept {
    Verdict verdict = Verdict::more;
    for (;;) {
        if (direct() && !land_buffered()) {
            verdict = Verdict::fault;
            break;
        }
        if (direct() || buffered() < sizeof(FrameHeader)) break;
        FrameHeader header;
        std::memcpy(&header, buffer_.data() + begin_, sizeof header);
        if (peer_left_ || !header.guarded()) {
            refuse(FaultReason::not_a_frame, header, verdict);
            break;
        }
        if (!take(header, verdict)) break;
    }
    if (begin_ == end_) begin_ = end_ = 0;
    return verdict;
}

/// True when the frame is dealt with, or its payload has begun to land.
bool Inbound::take(const FrameHeader& header, Verdict& verdict) noexcept {
    switch (header.kind()) {
        case FrameKind::write:
        case FrameKind::write_imm:
        case FrameKind::read_data:
        case FrameKind::fetch_value:
            return take_payload(header, verdict);
        case FrameKind::read:
        case FrameKind::fetch_add:
            return take_question(header, verdict);
        case FrameKind::follow:
            return take_follow(header, verdict);
        case FrameKind::leave:
            peer_left_ = true;
            begin_ += sizeof header;
            return true;
        case FrameKind::fault:
            fault_ = {static_cast<FaultReason>(header.value), FrameKind::fault, header.place(),
                      header.bytes()};
            verdict = Verdict::accused;
            return false;
    }
    return refuse(FaultReason::not_a_frame, header, verdict);
}

bool Inbound::refuse(FaultReason reason, const FrameHeader& header, Verdict& verdict) noexcept {
    fault_ = {reason, header.kind(), header.place(), header.bytes()};
    verdict = Verdict::fault;
    return false;
}

bool Inbound::take_payload(const FrameHeader& header, Verdict& verdict) noexcept {
    const bool answer = header.kind() == FrameKind::read_data || header.kind() == FrameKind::fetch_value;
    if (answer && !answers_question(header)) return refuse(FaultReason::unasked_answer, header, verdict);
    if (header.kind() == FrameKind::write_imm && immediates_.full()) {
        verdict = Verdict::stalled;
        return false;
    }
    std::byte* const target = destination(header, 0, header.bytes());
    if (target == nullptr && header.bytes() != 0) return refuse(FaultReason::outside_memory, header, verdict);
    const bool all_here = header.bytes() <= buffered() - sizeof header;
    if (header.bytes() > kWholeBytes && !all_here) return start_direct(header);
    return land_whole(header, target);
}

/// False while some of the payload has yet to come.
bool Inbound::land_whole(const FrameHeader& header, std::byte* target) noexcept {
    if (buffered() - sizeof header < header.bytes()) return false;
    land(target, buffer_.data() + begin_ + sizeof header, header.bytes());
    begin_ += sizeof header + header.bytes();
    finish(header);
    return true;
}

bool Inbound::take_follow(const FrameHeader& header, Verdict& verdict) noexcept {
    if (follows_ == 0) {
        verdict = Verdict::placing;
        return false;
    }
    if (header.bytes() != follows_) return refuse(FaultReason::unannounced, header, verdict);
    return start_direct(header);
}

bool Inbound::start_direct(const FrameHeader& header) noexcept {
    begin_ += sizeof header;
    words_ = header.kind() == FrameKind::write || header.kind() == FrameKind::write_imm
                 ? regions_->watched(header.key)
                 : header.kind() != FrameKind::follow;
    current_ = header;
    done_ = 0;
    left_ = header.bytes();
    return true;
}

/// Brings what has been buffered of the current payload to its destination, but for part of a word. False if
/// that is gone.
bool Inbound::land_buffered() noexcept {
    if (buffered() == 0) return true;
    std::uint64_t bytes = std::min<std::uint64_t>(left_, buffered());
    if (current_.kind() == FrameKind::follow) {
        if (done_ < place_.size())
            land(place_.data() + done_, buffer_.data() + begin_, std::min(bytes, place_.size() - done_));
    } else {
        std::byte* const target = current_place();
        if (target == nullptr) return false;
        if (left_ > buffered() && words_) bytes = whole_words(target, buffered());
        land(target, buffer_.data() + begin_, bytes);
    }
    begin_ += bytes;
    done_ += bytes;
    left_ -= bytes;
    if (left_ == 0) finish(current_);
    return true;
}

std::byte* Inbound::destination(const FrameHeader& header, std::uint64_t done, std::uint64_t bytes) noexcept {
    if (header.kind() == FrameKind::read_data || header.kind() == FrameKind::fetch_value)
        return question(answered_).sink + done;
    return regions_->find(header.place() + done, bytes, owner_);
}

/// Where the rest of the current payload goes, asked for anew each time: the region may have gone since the
/// frame began. Null: it has, and fault() says so.
std::byte* Inbound::current_place() noexcept {
    std::byte* const target = destination(current_, done_, left_);
    if (target == nullptr)
        fault_ = {FaultReason::outside_memory, current_.kind(), current_.place(), current_.bytes()};
    return target;
}

bool Inbound::answers_question(const FrameHeader& header) noexcept {
    if (answered_ == asked_) return false;
    const Question& asked = question(answered_);
    const bool right_kind = (header.kind() == FrameKind::read_data) == (asked.operation == Operation::read);
    return right_kind && header.value == static_cast<std::uint32_t>(answered_) &&
           header.bytes() == asked.bytes;
}

/// All of the payload has landed.
void Inbound::finish(const FrameHeader& header) noexcept {
    if (header.kind() == FrameKind::write_imm)
        immediates_.push({header.value, static_cast<std::uint32_t>(header.bytes())});
    if (header.kind() == FrameKind::read_data || header.kind() == FrameKind::fetch_value) ++answered_;
    if (header.kind() == FrameKind::follow) {
        landed_ = true;
        follows_ = 0;
        place_ = {};
    }
}

bool Inbound::take_question(const FrameHeader& header, Verdict& verdict) noexcept {
    const bool adds = header.kind() == FrameKind::fetch_add;
    const std::size_t frame_bytes = sizeof header + (adds ? kWordBytes : 0);
    if (adds && header.bytes() != kWordBytes) return refuse(FaultReason::not_a_frame, header, verdict);
    if (buffered() < frame_bytes) return false;
    if (answers_.full()) return refuse(FaultReason::too_many_questions, header, verdict);
    std::byte* const place = regions_->find(header.place(), header.bytes(), owner_);
    if (place == nullptr && header.bytes() != 0) return refuse(FaultReason::outside_memory, header, verdict);
    if (adds && !aligned(place)) return refuse(FaultReason::misaligned_word, header, verdict);
    Answer answer{.number = header.value, .place = header.place(), .bytes = header.bytes()};
    if (adds) {
        std::uint64_t addend = 0;
        std::memcpy(&addend, buffer_.data() + begin_ + sizeof header, sizeof addend);
        answer.kind = FrameKind::fetch_value;
        // Both orders: it follows what landed before it, and what this rank published is readable after it.
        answer.word = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place))
                          .fetch_add(addend, std::memory_order_acq_rel);
    }
    answers_.push(answer);
    begin_ += frame_bytes;
    return true;
}

std::size_t Inbound::poll(std::span<Completion> completions) noexcept {
    std::size_t count = 0;
    while (count < completions.size() && polled_ != answered_) {
        const Question& done = question(polled_++);
        if (done.ticket == 0 && done.status == Status::ok) continue;
        completions[count++] = {.ticket = done.ticket, .operation = done.operation, .status = done.status};
    }
    while (count < completions.size() && !immediates_.empty()) {
        const Immediate arrived = immediates_.front();
        immediates_.pop();
        completions[count++] = {
            .imm = arrived.value, .operation = Operation::imm_arrived, .bytes = arrived.bytes};
    }
    return count;
}

void Inbound::fail(Status status) noexcept {
    for (; answered_ != asked_; ++answered_) question(answered_).status = status;
    left_ = 0;
    begin_ = end_ = 0;
}

}  // namespace rb2::fabric::tcp
