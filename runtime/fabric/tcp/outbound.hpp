#pragma once
// Bytes on their way to the socket: small ones copied, large ones referred to, in the order of the frames,
// with the completions that fall due as they go. Bounded: what does not fit is the caller's to try again.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric::tcp {

/// One thread. Knows no sockets.
class Outbound {
  public:
    static constexpr std::size_t kStagingBytes = 16UL << 10;
    static constexpr std::size_t kMostPieces = 128;
    static constexpr std::size_t kMostCompletions = 128;

    /// Whether there is room for `copied` bytes in copy(), from or beside `sources` sources, and for a
    /// completion if there is one.
    [[nodiscard]] bool takes(std::size_t copied, std::size_t sources, bool completion) const noexcept {
        return copied <= kStagingBytes - (staged_end_ - staged_begin_) &&
               pieces_end_ - pieces_begin_ + sources + kOverheadPieces <= kMostPieces &&
               (!completion || marks_end_ - marks_begin_ < kMostCompletions);
    }
    /// Appends a copy.
    void copy(const void* data, std::size_t bytes) noexcept;
    /// Appends the bytes themselves: they stay unchanged until sent.
    void refer(const std::byte* data, std::size_t bytes) noexcept;
    /// `completion` falls due once all that was appended so far is sent.
    void mark(const Completion& completion) noexcept {
        marks_[marks_end_++ % kMostCompletions] = {appended_, completion};
    }

    [[nodiscard]] bool empty() const noexcept { return appended_ == sent_; }
    [[nodiscard]] std::uint64_t unsent() const noexcept { return appended_ - sent_; }
    /// What to hand to the kernel next; how many of `vectors` it takes.
    [[nodiscard]] std::size_t gather(std::span<iovec> vectors) const noexcept;
    /// The kernel has taken so many bytes more.
    void sent(std::size_t bytes) noexcept;
    /// Whether any byte that waits is referred to in `memory`.
    [[nodiscard]] bool refers_to(std::span<const std::byte> memory) const noexcept;

    /// Takes completions that are due.
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;
    /// Nothing more will be sent: all completions that were not due come with `status`.
    void fail(Status status) noexcept;

  private:
    // A header piece, and one more where the staging area wraps.
    static constexpr std::size_t kOverheadPieces = 2;

    struct Piece {
        const std::byte* data;
        std::size_t bytes;
        bool staged;
    };
    struct Mark {
        std::uint64_t due;  ///< in bytes appended
        Completion completion;
    };

    void append(const std::byte* data, std::size_t bytes, bool staged) noexcept;

    // Counts only grow and are masked where they index.
    std::uint64_t appended_ = 0;
    std::uint64_t sent_ = 0;
    std::size_t staged_begin_ = 0;
    std::size_t staged_end_ = 0;
    std::size_t pieces_begin_ = 0;
    std::size_t pieces_end_ = 0;
    std::size_t marks_begin_ = 0;
    std::size_t marks_end_ = 0;
    std::array<Piece, kMostPieces> pieces_;
    std::array<Mark, kMostCompletions> marks_;
    std::array<std::byte, kStagingBytes> staging_;
};

}  // namespace rb2::fabric::tcp
