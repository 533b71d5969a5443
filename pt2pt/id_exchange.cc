#include "pt2pt/id_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace rb2::pt2pt {

IdExchange::IdExchange(Job& job, Communicator& parent)
    : job_(job), engine_(parent.engine()), own_(job.propose()) {
    const Communicator& own_side = parent.own_side();
    const int others = parent.is_inter() ? parent.size() : 0;
    const int ranks = own_side.size() + others;
    proposals_.assign(static_cast<std::size_t>(ranks), own_);
    requests_.reserve(2 * proposals_.size());
    if (parent.is_inter()) {
        exchange(parent.local(), parent.rank(), proposals_.data(), parent.local().next_collective_tag());
        exchange(parent, -1, proposals_.data() + own_side.size(), parent.next_collective_tag());
    } else {
        exchange(parent, parent.rank(), proposals_.data(), parent.next_collective_tag());
    }
}

IdExchange::~IdExchange() {
    for (Request* const request : requests_) engine_.release(request);
}

void IdExchange::exchange(const Communicator& with, int except, Identity* proposals, int tag) {
    const std::uint32_t context = with.collective_context();
    for (int rank = 0; rank < with.size(); ++rank) {
        if (rank == except) continue;
        begun(engine_.ireceive(std::as_writable_bytes(std::span(proposals + rank, 1)), with.world_rank(rank),
                               context, tag));
        begun(engine_.isend(std::as_bytes(std::span(&own_, 1)), with.world_rank(rank), context, tag));
    }
}

void IdExchange::begun(Request* request) {
    if (request == nullptr)
        status_ = Status::out_of_memory;
    else if (!Engine::is_immediate(request))
        requests_.push_back(request);
}

bool IdExchange::complete() const noexcept {
    return std::all_of(requests_.begin(), requests_.end(),
                       [](const Request* request) { return request->complete(); });
}

void IdExchange::wait() {
    for (const Request* const request : requests_) engine_.wait(*request);
}

Status IdExchange::result(Identity& identity) {
    for (const Request* const request : requests_)
        if (status_ == Status::ok) status_ = request->info().status;
    identity = std::accumulate(proposals_.begin(), proposals_.end(), own_, larger);
    return status_ == Status::ok ? job_.accept(own_, identity) : status_;
}

}  // namespace rb2::pt2pt
