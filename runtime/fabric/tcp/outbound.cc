#include "runtime/fabric/tcp/outbound.hpp"

#include <algorithm>
#include <cstring>

namespace rb2::fabric::tcp {

void Outbound::copy(const void* data, std::size_t bytes) noexcept {
    const auto* from = static_cast<const std::byte*>(data);
    while (bytes != 0) {
        const std::size_t at = staged_end_ % kStagingBytes;
        const std::size_t part = std::min(bytes, kStagingBytes - at);
        std::memcpy(staging_.data() + at, from, part);
        staged_end_ += part;
        append(staging_.data() + at, part, true);
        from += part;
        bytes -= part;
    }
}

void Outbound::refer(const std::byte* data, std::size_t bytes) noexcept {
    if (bytes != 0) append(data, bytes, false);
}

void Outbound::append(const std::byte* data, std::size_t bytes, bool staged) noexcept {
    appended_ += bytes;
    if (pieces_end_ != pieces_begin_) {
        Piece& last = pieces_[(pieces_end_ - 1) % kMostPieces];
        if (last.staged == staged && last.data + last.bytes == data) {
            last.bytes += bytes;
            return;
        }
    }
    pieces_[pieces_end_++ % kMostPieces] = {data, bytes, staged};
}

std::size_t Outbound::gather(std::span<iovec> vectors) const noexcept {
    const std::size_t count = std::min(vectors.size(), pieces_end_ - pieces_begin_);
    for (std::size_t i = 0; i < count; ++i) {
        const Piece& piece = pieces_[(pieces_begin_ + i) % kMostPieces];
        // The kernel's vector is not const, but sendmsg() only reads.
        vectors[i] = {const_cast<std::byte*>(piece.data), piece.bytes};
    }
    return count;
}

void Outbound::sent(std::size_t bytes) noexcept {
    sent_ += bytes;
    while (bytes != 0) {
        Piece& front = pieces_[pieces_begin_ % kMostPieces];
        const std::size_t part = std::min(bytes, front.bytes);
        front.data += part;
        front.bytes -= part;
        if (front.staged) staged_begin_ += part;
        if (front.bytes == 0) ++pieces_begin_;
        bytes -= part;
    }
    // From the start again: the next frames need no wrap and find warm lines.
    if (empty()) staged_begin_ = staged_end_ = pieces_begin_ = pieces_end_ = 0;
}

bool Outbound::refers_to(std::span<const std::byte> memory) const noexcept {
    for (std::size_t i = pieces_begin_; i != pieces_end_; ++i) {
        const Piece& piece = pieces_[i % kMostPieces];
        const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
        const auto place = reinterpret_cast<std::uintptr_t>(piece.data);
        if (!piece.staged && place < start + memory.size() && start < place + piece.bytes) return true;
    }
    return false;
}

std::size_t Outbound::poll(std::span<Completion> completions) noexcept {
    std::size_t count = 0;
    while (count < completions.size() && marks_begin_ != marks_end_ &&
           marks_[marks_begin_ % kMostCompletions].due <= sent_) {
        completions[count++] = marks_[marks_begin_++ % kMostCompletions].completion;
    }
    return count;
}

void Outbound::fail(Status status) noexcept {
    for (std::size_t i = marks_begin_; i != marks_end_; ++i) {
        Mark& mark = marks_[i % kMostCompletions];
        if (mark.due > sent_) mark.completion.status = status;
    }
    sent_ = appended_;
    staged_begin_ = staged_end_ = pieces_begin_ = pieces_end_ = 0;
}

}  // namespace rb2::fabric::tcp
