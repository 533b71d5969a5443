// The two-sided half of the fake endpoint (two_sided.hpp).

#include <algorithm>

#include "runtime/fabric/fake/endpoint.hpp"

namespace rb2::fabric::fake {

Status Endpoint::send(Source source, std::uint32_t imm, Signal signal) noexcept {
    if (source.bytes > kMaxSendBytes) return Status::invalid_argument;
    if (const Status status = admit({&source, 1}); status != Status::ok) return status;
    Request request{.operation = Operation::send, .signal = signal, .imm = imm};
    if (source.bytes <= kCapabilities.inline_bytes) {
        request.bytes.assign(source.data, source.data + source.bytes);
    } else {
        request.sources.push_back(source);
    }
    const Status status = post(std::move(request));
    counters_.sends += status == Status::ok ? 1 : 0;
    return status;
}

Status Endpoint::post_receive(Sink sink, std::uint64_t ticket) noexcept {
    if (receives_ != &own_receives_) return Status::invalid_argument;
    if (sink.bytes != 0 && !owns(sink.key, sink.data, sink.bytes)) return Status::invalid_argument;
    const Status status = own_receives_.post_checked(sink, ticket);
    counters_.receives += status == Status::ok ? 1 : 0;
    return status;
}

bool Endpoint::finds_no_receive(const Request& request) const noexcept {
    if (request.operation == Operation::send) return peer_->receives_->empty();
    return request.imm.has_value() && options_.imm_receives != 0 &&
           peer_->used_imm_receives_ >= options_.imm_receives;
}

bool Endpoint::receiver_not_ready() noexcept {
    const bool waits = finds_no_receive(wire_.front());
    counters_.not_ready += waits ? 1 : 0;
    return waits;
}

/// Fills the peer's oldest receive. The bytes are taken from the source only now, as a card would.
void Endpoint::arrive(const Request& request) {
    const ReceiveQueue::Receive receive = peer_->receives_->take();
    const bool inlined = request.sources.empty();
    const std::byte* const data = inlined ? request.bytes.data() : request.sources.front().data;
    const std::size_t bytes = inlined ? request.bytes.size() : request.sources.front().bytes;
    std::copy_n(data, std::min(bytes, receive.sink.bytes), receive.sink.data);
    peer_->completions_.push_back({.ticket = receive.ticket,
                                   .imm = *request.imm,
                                   .operation = Operation::received,
                                   .status = bytes > receive.sink.bytes ? Status::truncated : Status::ok,
                                   .bytes = static_cast<std::uint32_t>(bytes)});
}

}  // namespace rb2::fabric::fake
