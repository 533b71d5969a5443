// Of Endpoint: making, posting, doorbells and credits. The rest is in completions.cc.

#include "runtime/fabric/verbs/endpoint.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/status.hpp"

namespace rb2::fabric::verbs {

static_assert(TwoSidedEndpoint<Endpoint> && !MappedEndpoint<Endpoint>);

namespace {

const EndpointOptions& checked(const EndpointOptions& options) {
    if (std::has_single_bit(options.requests) && options.requests >= 8 && options.receives >= 4)
        return options;
    throw StartupError(
        fmt::format("verbs: an endpoint of {} requests and {} receives: the first must be a power of two of "
                    "at least 8, the second at least 4",
                    options.requests, options.receives));
}

std::uint32_t arrivals_of(const EndpointOptions& options) {
    return options.group != nullptr ? options.group->capacity() : options.receives;
}

std::uint64_t entries_of(const EndpointOptions& options) {
    return options.requests + (options.group != nullptr ? 0 : options.receives);
}

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }

}  // namespace

Endpoint::Endpoint(CompletionQueue& queue, const EndpointOptions& options)
    : queue_(&queue),
      mask_(checked(options).requests - 1),
      records_(options.requests),
      kept_(std::bit_ceil(options.requests + arrivals_of(options))),
      chain_(kChainLength),
      pair_(queue, options.group != nullptr ? options.group->handle() : nullptr,
            {.requests = options.requests,
             .receives = options.group != nullptr ? 0 : options.receives,
             .gather = kCapabilities.gather_length,
             .least_inline_bytes = kCapabilities.inline_bytes,
             .wanted_inline_bytes = kWantedInlineBytes}),
      receives_(options.arrivals == Arrivals::messages ? options.receives : 0),
      options_(options) {
    if (options_.group != nullptr) options_.arrivals = Arrivals::messages;
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) chain_[i].request.next = &chain_[i + 1].request;
    queue.reserve(entries_of(options));
    number_ = queue.attach(*this, pair_.number());
    if (options_.arrivals == Arrivals::immediates) post_empty_receives(options.receives);
}

Endpoint::~Endpoint() {
    const std::uint32_t queue_pair = pair_.number();
    pair_.destroy();
    queue_->detach(number_, queue_pair);
    queue_->handed_out(kept_tail_ - kept_head_);
    for (std::uint64_t at = retired_; at != posted_; ++at) {
        if (std::uint64_t* const word = records_[at & mask_].word; word != nullptr) queue_->return_word(word);
    }
    queue_->release(entries_of(options_));
}

Status Endpoint::write_gather(std::span<const Source> sources, Remote remote, Signal signal) noexcept {
    return post(IBV_WR_RDMA_WRITE, sources, remote, 0, {.ticket = signal.ticket});
}

Status Endpoint::write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal) noexcept {
    return post(IBV_WR_RDMA_WRITE_WITH_IMM, {&source, 1}, remote, imm, {.ticket = signal.ticket});
}

Status Endpoint::send(Source source, std::uint32_t imm, Signal signal) noexcept {
    if (source.bytes > kMaxSendBytes) return Status::invalid_argument;
    return post(IBV_WR_SEND_WITH_IMM, {&source, 1}, {}, imm,
                {.ticket = signal.ticket, .operation = Operation::send});
}

Status Endpoint::post(ibv_wr_opcode opcode, std::span<const Source> sources, Remote remote, std::uint32_t imm,
                      Record record) noexcept {
    if (sources.size() > kCapabilities.gather_length) return Status::invalid_argument;
    std::uint64_t bytes = 0;
    for (const Source& source : sources) bytes += source.bytes;
    // What is inline need not be registered: it is copied here and now.
    if (bytes > kCapabilities.inline_bytes && !know_all(sources)) return Status::invalid_argument;
    if (const Status status = admit(bytes); status != Status::ok) return status;
    Chained& one = chain(opcode, remote, bytes, record);
    one.request.imm_data = htonl(imm);
    // An event at a peer that sleeps on its completion channel.
    if (opcode != IBV_WR_RDMA_WRITE) one.request.send_flags |= IBV_SEND_SOLICITED;
    describe_pieces(one, sources, bytes);
    return chained();
}

Status Endpoint::read(Sink sink, Remote remote, Signal signal) noexcept {
    if (!knows(sink.data, sink.bytes, sink.key)) return Status::invalid_argument;
    if (const Status status = admit(sink.bytes); status != Status::ok) return status;
    Chained& one =
        chain(IBV_WR_RDMA_READ, remote, sink.bytes, {.ticket = signal.ticket, .operation = Operation::read});
    one.pieces[0] = {
        .addr = address_of(sink.data), .length = static_cast<std::uint32_t>(sink.bytes), .lkey = sink.key};
    one.request.num_sge = sink.bytes == 0 ? 0 : 1;
    return chained();
}

Status Endpoint::fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                           Signal signal) noexcept {
    if (remote.address % sizeof addend != 0 || !queue_->device().has_atomics())
        return Status::invalid_argument;
    if (const Status status = admit(sizeof addend); status != Status::ok) return status;
    std::uint64_t* const word = queue_->take_word();
    if (word == nullptr) return Status::would_block;
    // `before` need not be registered, so the result lands in a word of the queue's and is copied. That is
    // done when its completion is seen, so it always has one.
    Chained& one =
        chain(IBV_WR_ATOMIC_FETCH_AND_ADD, remote, sizeof addend,
              {.ticket = signal.ticket, .before = before, .word = word, .operation = Operation::fetch_add});
    one.request.wr.atomic = {
        .remote_addr = remote.address, .compare_add = addend, .swap = 0, .rkey = remote.key};
    one.pieces[0] = {.addr = address_of(word), .length = sizeof *word, .lkey = queue_->words_key()};
    one.request.num_sge = 1;
    return chained();
}

/// Whether a request of `bytes` may be posted now.
Status Endpoint::admit(std::uint64_t bytes) noexcept {
    if (status_ != Status::ok) return status_;
    if (!pair_.connected() || bytes > queue_->device().max_message_bytes()) return Status::invalid_argument;
    return is_full() ? Status::would_block : Status::ok;
}

/// Who only posts must find room too: the receiving end of a ring writes its head and polls nothing.
bool Endpoint::is_full() noexcept {
    if (posted_ - retired_ + kept_requests_ <= mask_) [[likely]]
        return false;
    queue_->dispatch();
    return posted_ - retired_ + kept_requests_ > mask_;
}

bool Endpoint::knows(const std::byte* data, std::size_t bytes, Key key) noexcept {
    if (bytes == 0) return true;
    const std::uint64_t generation = queue_->device().generation();
    if (key != known_key_ || generation != known_generation_) [[unlikely]] {
        known_ = queue_->device().registered(key);
        known_key_ = key;
        known_generation_ = generation;
    }
    const std::uint64_t offset = address_of(data) - address_of(known_.data());
    return offset <= known_.size() && bytes <= known_.size() - offset;
}

bool Endpoint::know_all(std::span<const Source> sources) noexcept {
    return std::ranges::all_of(
        sources, [this](const Source& source) { return knows(source.data, source.bytes, source.key); });
}

/// The next request of the chain, all but its pieces.
Endpoint::Chained& Endpoint::chain(ibv_wr_opcode opcode, Remote remote, std::uint64_t bytes,
                                   const Record& record) noexcept {
    Record& kept = records_[posted_ & mask_];
    kept = record;
    kept.bytes = static_cast<std::uint32_t>(bytes);
    Chained& one = chain_[chain_length_++];
    one.request.wr_id = RequestId{.endpoint = number_, .number = static_cast<std::uint32_t>(posted_)}.pack();
    one.request.sg_list = one.pieces.data();
    one.request.opcode = opcode;
    one.request.wr.rdma = {.remote_addr = remote.address, .rkey = remote.key};
    ++posted_;
    // A short queue full of silent requests would never be known to be empty.
    const std::uint64_t signal_every = std::min(kSignalEvery, (mask_ + 1) / 2);
    const bool signalled =
        record.ticket != 0 || record.word != nullptr || posted_ - last_signalled_ >= signal_every;
    one.request.send_flags = signalled ? IBV_SEND_SIGNALED : 0;
    if (signalled) last_signalled_ = posted_;
    ++counters_.requests;
    counters_.request_bytes += bytes;
    counters_.signalled += signalled ? 1 : 0;
    return one;
}

void Endpoint::describe_pieces(Chained& one, std::span<const Source> sources, std::uint64_t bytes) noexcept {
    int count = 0;
    if (bytes <= kCapabilities.inline_bytes) {
        // The card sees it at the doorbell; the caller may reuse it now.
        std::byte* end = one.inlined.data();
        for (const Source& source : sources) {
            if (source.bytes == 0) continue;
            std::memcpy(end, source.data, source.bytes);
            end += source.bytes;
        }
        one.pieces[0] = {
            .addr = address_of(one.inlined.data()), .length = static_cast<std::uint32_t>(bytes), .lkey = 0};
        count = bytes == 0 ? 0 : 1;
    } else {
        for (const Source& source : sources) {
            if (source.bytes == 0) continue;
            one.pieces[static_cast<std::size_t>(count++)] = {
                .addr = address_of(source.data),
                .length = static_cast<std::uint32_t>(source.bytes),
                .lkey = source.key};
        }
    }
    one.request.num_sge = count;
    if (count != 0 && bytes <= pair_.inline_bytes()) one.request.send_flags |= IBV_SEND_INLINE;
}

/// A chain that is full goes without waiting for flush().
Status Endpoint::chained() noexcept { return chain_length_ == kChainLength ? flush() : Status::ok; }

Status Endpoint::flush() noexcept {
    if (chain_length_ == 0 || status_ != Status::ok) return status_;
    ibv_send_wr& last = chain_[chain_length_ - 1].request;
    ibv_send_wr* const next = last.next;
    last.next = nullptr;
    ibv_send_wr* refused = nullptr;
    const int error = ibv_post_send(pair_.handle(), &chain_.front().request, &refused);
    last.next = next;
    chain_length_ = 0;
    ++counters_.doorbells;
    if (error != 0) {
        // The queue has room, so it is the connection or the card that is gone.
        note_failure({}, {.status = IBV_WC_FATAL_ERR, .vendor_error = static_cast<std::uint32_t>(error)});
    }
    return status_;
}

/// An empty write that reports its completion, behind everything else. It needs no place at the peer.
void Endpoint::post_marker() noexcept {
    Chained& one = chain(IBV_WR_RDMA_WRITE, {}, 0, {});
    one.request.num_sge = 0;
    one.request.send_flags |= IBV_SEND_SIGNALED;
    counters_.signalled += last_signalled_ == posted_ ? 0 : 1;
    last_signalled_ = posted_;
}

bool Endpoint::settle() noexcept {
    if (status_ != Status::ok || posted_ == retired_) return true;
    if (last_signalled_ != posted_ && !is_full()) post_marker();
    static_cast<void>(flush());
    queue_->dispatch();
    return status_ != Status::ok || posted_ == retired_;
}

void Endpoint::probe() noexcept {
    const bool signalled_under_way = last_signalled_ > retired_;
    if (status_ != Status::ok || !pair_.connected() || signalled_under_way || is_full()) return;
    post_marker();
    static_cast<void>(flush());
}

}  // namespace rb2::fabric::verbs
