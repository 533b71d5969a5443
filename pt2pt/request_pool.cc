#include "pt2pt/request_pool.hpp"

#include <new>

namespace rb2::pt2pt {

Request Request::shared_immediate(Request::Kind::send, /*complete=*/true);

void Request::take_otherwise(matching::Envelope from, std::span<const std::byte> message) {
    if (!handled_) {
        place(from, message.first(sink_.capacity));
        info_.bytes = message.size();
        info_.status = Status::truncated;
        return;
    }
    info_ = {from.source, from.tag(), message.size(), Status::ok, false};
    handler_.call(handler_.argument, info_, message);
}

bool RequestPool::grow() noexcept {
    try {
        auto block = std::make_unique<Request[]>(kBlock);
        const auto first = static_cast<std::uint32_t>(blocks_.size()) * kBlock;
        blocks_.push_back(std::move(block));
        for (std::uint32_t i = kBlock; i-- > 0;) {
            Request& request = blocks_.back()[i];
            request.id_ = first + i;
            request.next_ = free_;
            free_ = &request;
        }
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace rb2::pt2pt
