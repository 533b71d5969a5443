#pragma once
// Bytes from the socket, turned into what they ask for. Short frames are read into a buffer, many at a time,
// and take effect whole. Of the payload of a long one all that does not come with its header is read straight
// to its destination (sdp paper, §2, "ZCopy", at the receiver). Nothing a frame says is believed before it is
// checked against the registered memory.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/tcp/frame.hpp"
#include "runtime/fabric/tcp/region_table.hpp"
#include "runtime/fabric/tcp/ring_queue.hpp"

namespace rb2::fabric::tcp {

/// What the peer has asked and this side has yet to answer.
struct Answer {
    FrameKind kind = FrameKind::read_data;  ///< or fetch_value
    std::uint32_t number = 0;
    Remote place{};
    std::uint64_t bytes = 0;  ///< read_data
    std::uint64_t word = 0;   ///< fetch_value
};

/// One thread. Knows no sockets: plan() says where bytes go, received() that they are there.
class Inbound {
  public:
    /// Payloads up to this are buffered and land whole; longer ones go straight to their destination.
    static constexpr std::size_t kWholeBytes = 4096;
    /// Between messages so much is read at once: the longest packet of Linux (64 KiB), behind the little that
    /// was left of the message before it. Reading only the beginning of a packet, to land the rest without a
    /// copy, is slower: the kernel then acknowledges it with a smaller window, and the next ones at once, on
    /// the sender's time where both share a machine (docs/experiments.md).
    static constexpr std::size_t kBufferBytes = 72UL << 10;
    static constexpr std::size_t kMostImmediates = 256;

    enum class Verdict : std::uint8_t {
        more,     ///< all that is there is done: read on
        stalled,  ///< immediates wait to be polled; call resume() once they are
        placing,  ///< a payload waits for place()
        fault,    ///< fault() says what is wrong with the stream
        accused,  ///< the peer says that a frame of ours is wrong: fault()
    };
    struct Fault {
        FaultReason reason = FaultReason::none;
        FrameKind kind = FrameKind::write;
        Remote place{};
        std::uint64_t bytes = 0;
    };

    /// Both outlive it. `owner` as in RegionTable.
    Inbound(const RegionTable& regions, const void* owner) noexcept : regions_(&regions), owner_(owner) {}

    /// A question that is being posted; its number. Not when questions are full.
    [[nodiscard]] bool questions_full() const noexcept { return asked_ - polled_ == kMostQuestions; }
    std::uint32_t ask(Operation operation, std::byte* sink, std::uint64_t bytes,
                      std::uint64_t ticket) noexcept;

    /// Where the next `follow` frame's payload, of `bytes`, lands: the first bytes at `place`, the caller's
    /// until take_landed() says yes; the rest is dropped. One at a time. Then resume().
    void place(std::span<std::byte> place, std::uint64_t bytes) noexcept {
        place_ = place;
        follows_ = bytes;
    }
    /// What place() named is the caller's again; what comes of the payload is dropped.
    void withdraw() noexcept { place_ = {}; }
    /// Whether the payload is there; says so once.
    [[nodiscard]] bool take_landed() noexcept { return std::exchange(landed_, false); }
    [[nodiscard]] bool landed() const noexcept { return landed_; }

    /// Whether a payload is being read straight to its destination,
    [[nodiscard]] bool direct() const noexcept { return left_ != 0; }
    /// and somebody may look at it meanwhile: then plan() wants to know how many bytes can be read.
    [[nodiscard]] bool by_words() const noexcept { return left_ > kWholeBytes && words_; }
    /// Where to read to, at least one byte: how many of `vectors`. `available`: bytes that are there, at
    /// least 1; only looked at when by_words(). 0: the destination is gone, see fault().
    [[nodiscard]] std::size_t plan(std::span<iovec, 2> vectors, std::uint64_t available) noexcept;
    /// So many bytes have been read to where plan() said.
    Verdict received(std::size_t bytes) noexcept;
    /// Goes on with what is buffered.
    Verdict resume() noexcept { return parse(); }

    [[nodiscard]] RingQueue<Answer, kMostQuestions>& answers() noexcept { return answers_; }
    /// Takes completions: answered questions, then immediates.
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;
    /// No answer will come any more: questions complete with `status`.
    void fail(Status status) noexcept;

    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }
    /// Whether the peer has said that nothing more will come.
    [[nodiscard]] bool left() const noexcept { return peer_left_; }
    [[nodiscard]] bool nothing_asked() const noexcept { return answered_ == asked_; }
    /// Whether the stream may end here without having lost anything.
    [[nodiscard]] bool between_frames() const noexcept { return left_ == 0 && begin_ == end_; }

  private:
    struct Question {
        Operation operation;
        Status status;
        std::byte* sink;
        std::uint64_t bytes;
        std::uint64_t ticket;
    };
    struct Immediate {
        std::uint32_t value;
        std::uint32_t bytes;
    };

    Verdict parse() noexcept;
    bool take(const FrameHeader& header, Verdict& verdict) noexcept;
    bool take_payload(const FrameHeader& header, Verdict& verdict) noexcept;
    bool take_question(const FrameHeader& header, Verdict& verdict) noexcept;
    bool answers_question(const FrameHeader& header) noexcept;
    bool land_whole(const FrameHeader& header, std::byte* target) noexcept;
    bool take_follow(const FrameHeader& header, Verdict& verdict) noexcept;
    bool start_direct(const FrameHeader& header) noexcept;
    [[nodiscard]] iovec next_placed() noexcept;
    bool land_buffered() noexcept;
    [[nodiscard]] std::byte* current_place() noexcept;
    [[nodiscard]] std::byte* destination(const FrameHeader& header, std::uint64_t done,
                                         std::uint64_t bytes) noexcept;
    void finish(const FrameHeader& header) noexcept;
    bool refuse(FaultReason reason, const FrameHeader& header, Verdict& verdict) noexcept;
    [[nodiscard]] iovec buffer_space(std::size_t most) noexcept;
    [[nodiscard]] std::size_t buffered() const noexcept { return end_ - begin_; }
    [[nodiscard]] Question& question(std::uint64_t number) noexcept {
        return questions_[number % kMostQuestions];
    }

    const RegionTable* regions_;
    const void* owner_;
    std::size_t begin_ = 0;  ///< in buffer_
    std::size_t end_ = 0;
    FrameHeader current_{};      ///< the frame whose payload goes straight to its destination
    std::uint64_t done_ = 0;     ///< bytes of it that have landed
    std::uint64_t left_ = 0;     ///< bytes of it that have not
    std::uint64_t planned_ = 0;  ///< bytes of the last plan that go there
    bool words_ = false;         ///< it lands in whole words
    bool landed_ = false;
    std::span<std::byte> place_;  ///< of a payload to follow
    std::uint64_t follows_ = 0;   ///< its bytes; 0: no place has been named
    std::uint64_t asked_ = 0;     ///< questions ever
    std::uint64_t answered_ = 0;
    std::uint64_t polled_ = 0;
    Fault fault_{};
    bool peer_left_ = false;
    std::array<Question, kMostQuestions> questions_;
    RingQueue<Answer, kMostQuestions> answers_;
    RingQueue<Immediate, kMostImmediates> immediates_;
    alignas(64) std::array<std::byte, kBufferBytes> buffer_;
};

}  // namespace rb2::fabric::tcp
