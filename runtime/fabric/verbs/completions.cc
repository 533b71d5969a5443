// Of Endpoint: what the card reports, what is kept of it until somebody polls, failures, and receives.

#include <arpa/inet.h>
#include <fmt/format.h>

#include "runtime/fabric/verbs/endpoint.hpp"

namespace rb2::fabric::verbs {
namespace {

/// In place of what the card said, which has no such word for connected queue pairs.
constexpr ibv_wc_status kAbandoned = IBV_WC_REM_ABORT_ERR;

const char* name_of(Operation operation) {
    switch (operation) {
        case Operation::write:
            return "WRITE";
        case Operation::read:
            return "READ";
        case Operation::fetch_add:
            return "FETCH_ADD";
        case Operation::send:
            return "SEND";
        default:
            return "RECEIVE";
    }
}

}  // namespace

std::size_t Endpoint::poll(std::span<Completion> completions) noexcept {
    // Until there are enough or the queue is empty: what is first in it may be other endpoints'.
    while (!queue_->driven() && kept_tail_ - kept_head_ < completions.size() &&
           queue_->dispatch() == CompletionQueue::kMostTaken)
        continue;
    std::size_t count = 0;
    for (; count != completions.size() && kept_head_ != kept_tail_; ++count) {
        const Kept& oldest = kept_[kept_head_++ & (kept_.size() - 1)];
        completions[count] = oldest.completion;
        hand_over(oldest);
    }
    queue_->handed_out(count);
    if (used_receives_ >= options_.receives / 4) {
        post_empty_receives(used_receives_);
        used_receives_ = 0;
    }
    return count;
}

/// What a completion kept busy is free again.
void Endpoint::hand_over(const Kept& kept) noexcept {
    switch (kept.completion.operation) {
        case Operation::imm_arrived:
            if (options_.arrivals == Arrivals::immediates) {
                ++used_receives_;
            } else {  // it used up a receive that was meant for a message
                static_cast<void>(shared_ != nullptr ? shared_->post_again(kept.receive)
                                                     : post_again(kept.receive));
            }
            return;
        case Operation::received:
            shared_ != nullptr ? shared_->remove(kept.receive) : receives_.remove(kept.receive);
            return;
        default:
            --kept_requests_;
    }
}

void Endpoint::keep(const Completion& completion, std::uint32_t receive) noexcept {
    kept_[kept_tail_++ & (kept_.size() - 1)] = {.completion = completion, .receive = receive};
    queue_->kept();
}

void Endpoint::completed(const ibv_wc& completion) noexcept {
    const RequestId id = RequestId::unpack(completion.wr_id);
    if (id.kind == RequestId::Kind::request) {
        sent(completion, id.number);
    } else {
        arrived(completion, id);
    }
}

void Endpoint::sent(const ibv_wc& completion, std::uint32_t number) noexcept {
    // The silent ones before it are complete as well.
    const std::uint64_t position = retired_ + (number - static_cast<std::uint32_t>(retired_));
    const Record& record = records_[position & mask_];
    retired_ = position + 1;
    ++counters_.completions;
    const bool good = completion.status == IBV_WC_SUCCESS;
    if (!good) note_failure(completion, {.bytes = record.bytes, .operation = record.operation});
    if (record.word != nullptr) {
        if (good) *record.before = *record.word;
        queue_->return_word(record.word);
    }
    if (good && record.ticket == 0) return;
    ++kept_requests_;
    keep({.ticket = record.ticket,
          .operation = record.operation,
          .status = good ? Status::ok : Status::peer_lost});
}

void Endpoint::arrived(const ibv_wc& completion, const RequestId& id) noexcept {
    const bool good = completion.status == IBV_WC_SUCCESS;
    const bool unshared = id.kind == RequestId::Kind::shared_receive && shared_ == nullptr;
    if (!good || unshared) note_failure(completion, {.operation = Operation::received});
    ++counters_.arrivals;
    if (unshared) return;
    if (good && completion.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
        keep({.imm = ntohl(completion.imm_data),
              .operation = Operation::imm_arrived,
              .bytes = completion.byte_len},
             id.number);
        return;
    }
    if (options_.arrivals == Arrivals::immediates) return;
    const ReceiveTable& table = shared_ != nullptr ? shared_->table() : receives_;
    keep({.ticket = table[id.number].ticket,
          .imm = good ? ntohl(completion.imm_data) : 0,
          .operation = Operation::received,
          .status = good ? Status::ok : Status::peer_lost,
          .bytes = good ? completion.byte_len : 0},
         id.number);
}

void Endpoint::note_failure(const ibv_wc& completion, const Failure& failure) noexcept {
    // What follows the first is only flushed.
    if (status_ == Status::ok) {
        failure_ = failure;
        if (failure.status == IBV_WC_SUCCESS) {
            failure_.status = completion.status;
            failure_.vendor_error = completion.vendor_err;
        }
    }
    status_ = Status::peer_lost;
}

void Endpoint::abandon() noexcept {
    pair_.break_off();
    if (status_ == Status::ok) note_failure({}, {.status = kAbandoned});
}

std::string Endpoint::failure() const {
    if (failure_.status == IBV_WC_SUCCESS) return {};
    if (failure_.status == kAbandoned)
        return fmt::format("verbs: given up here without an error of its own; {}", pair_.describe());
    return fmt::format("verbs: {} of {} bytes failed: {} (status {}, vendor {:#x}); {}",
                       name_of(failure_.operation), failure_.bytes, ibv_wc_status_str(failure_.status),
                       static_cast<int>(failure_.status), failure_.vendor_error, pair_.describe());
}

// --- receives

Status Endpoint::post_receive(Sink sink, std::uint64_t ticket) noexcept {
    if (options_.arrivals != Arrivals::messages || options_.group != nullptr ||
        !knows(sink.data, sink.bytes, sink.key)) {
        return Status::invalid_argument;
    }
    if (status_ != Status::ok) return status_;
    if (receives_.full()) return Status::would_block;
    return post_again(receives_.add({sink, ticket}));
}

Status Endpoint::post_again(std::uint32_t place) noexcept {
    const Sink& sink = receives_[place].sink;
    ibv_sge piece{.addr = reinterpret_cast<std::uintptr_t>(sink.data),
                  .length = static_cast<std::uint32_t>(sink.bytes),
                  .lkey = sink.key};
    ibv_recv_wr receive{};
    receive.wr_id = RequestId{.kind = RequestId::Kind::receive, .endpoint = number_, .number = place}.pack();
    receive.sg_list = &piece;
    receive.num_sge = sink.bytes == 0 ? 0 : 1;
    ibv_recv_wr* refused = nullptr;
    if (const int error = ibv_post_recv(pair_.handle(), &receive, &refused); error != 0) {
        receives_.remove(place);
        note_failure({}, {.status = IBV_WC_FATAL_ERR,
                          .vendor_error = static_cast<std::uint32_t>(error),
                          .operation = Operation::received});
    }
    return status_;
}

/// For immediates, which need no memory.
void Endpoint::post_empty_receives(std::uint32_t count) noexcept {
    ibv_recv_wr receive{};
    receive.wr_id = RequestId{.kind = RequestId::Kind::receive, .endpoint = number_}.pack();
    for (ibv_recv_wr* refused = nullptr; count != 0; --count) {
        if (const int error = ibv_post_recv(pair_.handle(), &receive, &refused); error != 0) {
            note_failure({}, {.status = IBV_WC_FATAL_ERR,
                              .vendor_error = static_cast<std::uint32_t>(error),
                              .operation = Operation::received});
            return;
        }
    }
}

void Endpoint::share(SharedReceives& queue) noexcept {
    if (options_.group != nullptr && queue.bind(*options_.group)) {
        shared_ = &queue;
        return;
    }
    note_failure({}, {.status = IBV_WC_FATAL_ERR, .operation = Operation::received});
}

}  // namespace rb2::fabric::verbs
