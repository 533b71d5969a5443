#include "runtime/fabric/verbs/receives.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "runtime/fabric/two_sided.hpp"
#include "runtime/fabric/verbs/error.hpp"
#include "runtime/fabric/verbs/memlock.hpp"
#include "runtime/fabric/verbs/request_id.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::verbs {

static_assert(ReceivePool<SharedReceives>);

ReceiveTable::ReceiveTable(std::uint32_t capacity) : receives_(capacity) {
    free_.reserve(capacity);
    for (std::uint32_t place = capacity; place-- > 0;) free_.push_back(place);
}

std::uint32_t ReceiveTable::add(const Receive& receive) noexcept {
    const std::uint32_t place = free_.back();
    free_.pop_back();
    receives_[place] = receive;
    return place;
}

ReceiveGroup::ReceiveGroup(CompletionQueue& queue, std::uint32_t capacity)
    : completions_(&queue), capacity_(capacity) {
    ibv_srq_init_attr wanted{};
    wanted.attr = {.max_wr = capacity, .max_sge = 1, .srq_limit = 0};
    queue_.reset(ibv_create_srq(device().protection_domain(), &wanted));
    if (queue_ == nullptr) {
        throw_failed(
            "ibv_create_srq", errno,
            fmt::format("{} receives on {}, which has {} shared receive queues of {}", capacity,
                        device().name(), device().attributes().max_srq, device().attributes().max_srq_wr),
            "fewer receives, or receives of each endpoint's own" + memlock_advice(0));
    }
    queue.reserve(capacity);
}

ReceiveGroup::~ReceiveGroup() { completions_->release(capacity_); }

SharedReceives::SharedReceives(std::span<std::byte> memory, std::size_t capacity)
    : memory_(memory), table_(static_cast<std::uint32_t>(capacity)) {
    waiting_.reserve(capacity);
}

bool SharedReceives::inside(const Sink& sink) const noexcept {
    if (sink.bytes == 0) return true;
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    const auto place = reinterpret_cast<std::uintptr_t>(sink.data);
    return place >= start && place - start <= memory_.size() &&
           sink.bytes <= memory_.size() - (place - start);
}

Status SharedReceives::post(Sink sink, std::uint64_t ticket) noexcept {
    if (!inside(sink)) return Status::invalid_argument;
    if (table_.full()) return Status::would_block;
    const std::uint32_t place = table_.add({sink, ticket});
    ++posted_;
    if (group_ != nullptr) return post_again(place);
    waiting_.push_back(place);
    return Status::ok;
}

Status SharedReceives::post_again(std::uint32_t place) noexcept {
    const Sink& sink = table_[place].sink;
    ibv_sge piece{.addr = reinterpret_cast<std::uintptr_t>(sink.data),
                  .length = static_cast<std::uint32_t>(sink.bytes),
                  .lkey = region_ ? region_->key() : 0};
    ibv_recv_wr receive{};
    receive.wr_id = RequestId{.kind = RequestId::Kind::shared_receive, .number = place}.pack();
    receive.sg_list = &piece;
    receive.num_sge = sink.bytes == 0 ? 0 : 1;
    ibv_recv_wr* refused = nullptr;
    if (ibv_post_srq_recv(group_->handle(), &receive, &refused) == 0) return Status::ok;
    table_.remove(place);
    return Status::peer_lost;
}

bool SharedReceives::bind(ReceiveGroup& group) noexcept {
    if (group_ != nullptr) return group_ == &group;
    Registration made;
    if (!memory_.empty()) {
        if (group.device().try_register(memory_, Access::all, made) != Status::ok) return false;
        region_.emplace(group.device(), made);
    }
    group_ = &group;
    bool good = true;
    for (const std::uint32_t place : waiting_) good = post_again(place) == Status::ok && good;
    waiting_.clear();
    return good;
}

}  // namespace rb2::fabric::verbs
