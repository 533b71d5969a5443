#pragma once
// The shared-memory endpoint with two-sided messages. Send is emulated, there being no card: the message is
// copied into a cell in shared memory, and the receiver's poll() copies it into the oldest posted receive.
// Two copies, where a card makes none by the CPU; order, back-pressure and buffer use are those of
// two_sided.hpp.
//
// Writes keep their byte order here, which plain shm::Endpoint does not promise: they are made of release
// stores of words, front to back, for the channels that poll a bell inside a message.

#include "runtime/fabric/receive_queue.hpp"
#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/fabric/shm/message_queue.hpp"
#include "runtime/fabric/two_sided.hpp"

namespace rb2::fabric::shm {

/// The queues are in shared memory, the caller's, and outlive the endpoint.
struct MessageQueues {
    MessageQueue* outgoing = nullptr;
    MessageQueue* incoming = nullptr;
};

class MessageEndpoint : public Endpoint {
  public:
    using SharedReceives = ReceiveQueue;
    static constexpr std::size_t kMaxSendBytes = MessageQueue::kCellBytes;
    static constexpr Capabilities kCapabilities{.ordered_bytes = true,
                                                .ordered_reads = Endpoint::kCapabilities.ordered_reads,
                                                .needs_registration = false,
                                                .mapped = true,
                                                .inline_bytes = ~std::uint32_t{0},
                                                .gather_length = Endpoint::kCapabilities.gather_length};

    MessageEndpoint(Windows windows, MessageQueues queues) noexcept
        : Endpoint(windows), queues_(queues), own_receives_(windows.own) {}
    MessageEndpoint(const MessageEndpoint&) = delete;
    MessageEndpoint& operator=(const MessageEndpoint&) = delete;

    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return write_gather({&source, 1}, remote, signal);
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept;
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept {
        return Endpoint::write_with_imm(source, remote, imm, signal);  // the immediate orders all of it
    }

    Status send(Source source, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status post_receive(Sink sink, std::uint64_t ticket) noexcept {
        return receives_ == &own_receives_ ? own_receives_.post(sink, ticket) : Status::invalid_argument;
    }
    void share(SharedReceives& queue) noexcept { receives_ = &queue; }
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;

  private:
    MessageQueues queues_;
    ReceiveQueue own_receives_;
    ReceiveQueue* receives_ = &own_receives_;
};

}  // namespace rb2::fabric::shm
