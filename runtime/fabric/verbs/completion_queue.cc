#include "runtime/fabric/verbs/completion_queue.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>

#include "runtime/fabric/verbs/datagrams.hpp"
#include "runtime/fabric/verbs/endpoint.hpp"
#include "runtime/fabric/verbs/error.hpp"
#include "runtime/fabric/verbs/memlock.hpp"

namespace rb2::fabric::verbs {
namespace {

constexpr unsigned kMostUnacknowledged = 64;

std::string port_of(const Device& device) { return fmt::format("{} port {}", device.name(), device.port()); }

/// Reading an event must not wait for one.
void make_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

CompletionQueue::CompletionQueue(Device& device, int entries)
    : device_(&device),
      channel_(ibv_create_comp_channel(device.context())),
      words_(std::make_unique<Words>()),
      words_region_(device.register_memory(std::as_writable_bytes(std::span(words_.get(), 1)))) {
    if (channel_ == nullptr)
        throw_failed("ibv_create_comp_channel", errno, port_of(device), "is the number of files exhausted?");
    make_nonblocking(channel_->fd);
    entries = std::min(entries, device.attributes().max_cqe);
    queue_.reset(ibv_create_cq(device.context(), entries, nullptr, channel_.get(), 0));
    if (queue_ == nullptr) {
        throw_failed("ibv_create_cq", errno, fmt::format("{} entries on {}", entries, port_of(device)),
                     "no memory that may be locked" + memlock_advice(0));
    }
    capacity_ = static_cast<std::uint64_t>(queue_->cqe);
    for (std::uint64_t& word : words_->values) free_words_.push_back(&word);
}

CompletionQueue::~CompletionQueue() {
    drain_events();
    forget_events();  // or destroying the queue waits for it
}

void CompletionQueue::reserve(std::uint64_t entries) {
    const std::uint64_t wanted = reserved_ + entries;
    if (wanted > capacity_) {
        const auto most = static_cast<std::uint64_t>(device_->attributes().max_cqe);
        const std::uint64_t grown = std::min(most, std::max(wanted, 2 * capacity_));
        const int error = wanted > most ? EINVAL : ibv_resize_cq(queue_.get(), static_cast<int>(grown));
        if (error != 0) {
            throw_failed("ibv_resize_cq", error,
                         fmt::format("from {} to {} entries on {}, which has queues of up to {}", capacity_,
                                     wanted, port_of(*device_), most),
                         "connect to fewer peers, give each shorter queues, or use a second queue");
        }
        capacity_ = static_cast<std::uint64_t>(queue_->cqe);
    }
    reserved_ = wanted;
}

std::uint32_t CompletionQueue::attach(Endpoint& endpoint, std::uint32_t queue_pair) {
    by_queue_pair_[queue_pair] = &endpoint;
    const auto free = std::ranges::find(endpoints_, nullptr);
    const auto number = static_cast<std::uint32_t>(free - endpoints_.begin());
    if (free == endpoints_.end()) {
        endpoints_.push_back(&endpoint);
    } else {
        *free = &endpoint;
    }
    return number;
}

void CompletionQueue::detach(std::uint32_t number, std::uint32_t queue_pair) noexcept {
    endpoints_[number] = nullptr;
    by_queue_pair_.erase(queue_pair);
    // What it left behind must not be taken for the next endpoint's with this number.
    while (dispatch() != 0) continue;
}

void CompletionQueue::attach(Datagrams* datagrams) noexcept {
    datagrams_ = datagrams;
    while (datagrams == nullptr && dispatch() != 0) continue;
}

/// Null: it has gone, or it is a datagram.
Endpoint* CompletionQueue::endpoint_of(const ibv_wc& completion) const noexcept {
    const RequestId id = RequestId::unpack(completion.wr_id);
    if (id.kind == RequestId::Kind::datagram) return nullptr;
    if (id.kind != RequestId::Kind::shared_receive) return endpoints_[id.endpoint];
    const auto found = by_queue_pair_.find(completion.qp_num);
    return found == by_queue_pair_.end() ? nullptr : found->second;
}

std::size_t CompletionQueue::dispatch() noexcept {
    std::array<ibv_wc, kMostTaken>
        taken;  // NOLINT(cppcoreguidelines-pro-type-member-init): ibv_poll_cq fills it
    const int count = ibv_poll_cq(queue_.get(), static_cast<int>(taken.size()), taken.data());
    if (count <= 0) return 0;
    for (const ibv_wc& one : std::span(taken).first(static_cast<std::size_t>(count))) {
        if (Endpoint* const endpoint = endpoint_of(one); endpoint != nullptr)
            endpoint->completed(one);
        else if (datagrams_ != nullptr)
            datagrams_->completed(one);
    }
    taken_ += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
}

bool CompletionQueue::arm() noexcept {
    drain_events();
    if (kept_ != 0 || ibv_req_notify_cq(queue_.get(), 0) != 0) return false;
    // A completion that came before the request raises no event: look once more.
    return dispatch() == 0;
}

void CompletionQueue::drain_events() noexcept {
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    while (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ++unacknowledged_;
    if (unacknowledged_ >= kMostUnacknowledged) forget_events();
}

void CompletionQueue::forget_events() noexcept {
    if (unacknowledged_ != 0) ibv_ack_cq_events(queue_.get(), unacknowledged_);
    unacknowledged_ = 0;
}

std::uint64_t* CompletionQueue::take_word() noexcept {
    if (free_words_.empty()) return nullptr;
    std::uint64_t* const word = free_words_.back();
    free_words_.pop_back();
    return word;
}

void CompletionQueue::return_word(std::uint64_t* word) noexcept {
    free_words_.push_back(word);  // room for all of them since the start
}

}  // namespace rb2::fabric::verbs
