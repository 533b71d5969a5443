#include "runtime/fabric/shm/message_endpoint.hpp"

#include <algorithm>

namespace rb2::fabric::shm {

static_assert(TwoSidedEndpoint<MessageEndpoint> && MappedEndpoint<MessageEndpoint>);

namespace {

/// One byte or one aligned word at a time, so that a reader who sees a later byte sees all earlier ones.
void store_in_order(std::byte* target, Source from) noexcept {
    const std::byte* source = from.data;
    std::size_t bytes = from.bytes;
    while (bytes != 0) {
        std::size_t step = 1;
        // Release, each of them: the stores become visible front to back.
        if (bytes >= sizeof(std::uint64_t) && reinterpret_cast<std::uintptr_t>(target) % 8 == 0) {
            std::uint64_t word = 0;
            std::memcpy(&word, source, sizeof word);
            std::atomic_ref(*reinterpret_cast<std::uint64_t*>(target)).store(word, std::memory_order_release);
            step = sizeof word;
        } else {
            std::atomic_ref(*target).store(*source, std::memory_order_release);
        }
        target += step;
        source += step;
        bytes -= step;
    }
}

}  // namespace

Status MessageEndpoint::write_gather(std::span<const Source> sources, Remote remote, Signal signal) noexcept {
    return gather(sources, remote, signal, store_in_order);
}

Status MessageEndpoint::send(Source source, std::uint32_t imm, Signal signal) noexcept {
    if (source.bytes > kMaxSendBytes || queues_.outgoing == nullptr) return Status::invalid_argument;
    if (completions_full(signal)) return Status::would_block;
    MessageQueue::Cell* const cell = queues_.outgoing->claim();
    if (cell == nullptr) return Status::would_block;
    cell->bytes = static_cast<std::uint32_t>(source.bytes);
    cell->imm = imm;
    if (source.bytes != 0) std::memcpy(cell->payload.data(), source.data, source.bytes);
    queues_.outgoing->publish();
    complete({.ticket = signal.ticket, .operation = Operation::send});
    return Status::ok;
}

std::size_t MessageEndpoint::poll(std::span<Completion> completions) noexcept {
    std::size_t count = Endpoint::poll(completions);
    if (queues_.incoming == nullptr) return count;
    while (count < completions.size() && !receives_->empty()) {
        const MessageQueue::Cell* const cell = queues_.incoming->front();
        if (cell == nullptr) break;
        // The peer wrote the length: never trust it past the cell.
        const std::size_t bytes = std::min<std::size_t>(cell->bytes, MessageQueue::kCellBytes);
        const ReceiveQueue::Receive receive = receives_->take();
        const std::size_t fits = std::min(bytes, receive.sink.bytes);
        if (fits != 0) std::memcpy(receive.sink.data, cell->payload.data(), fits);
        completions[count++] = {.ticket = receive.ticket,
                                .imm = cell->imm,
                                .operation = Operation::received,
                                .status = bytes > receive.sink.bytes ? Status::truncated : Status::ok,
                                .bytes = static_cast<std::uint32_t>(bytes)};
        queues_.incoming->drop();
    }
    return count;
}

}  // namespace rb2::fabric::shm
