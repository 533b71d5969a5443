#pragma once
// Requests by number: blocks of requests that never move, and a free list through them.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pt2pt/request.hpp"

namespace rb2::pt2pt {

class RequestPool {
  public:
    static constexpr std::uint32_t kBlock = 256;  ///< requests per block

    /// A fresh request, or null when memory is exhausted.
    [[nodiscard]] Request* take(Request::Kind kind) noexcept {
        if (free_ == nullptr && !grow()) [[unlikely]]
            return nullptr;
        Request* request = free_;
        free_ = request->next_;
        request->reset(kind);
        return request;
    }

    void give_back(Request* request) noexcept {
        request->kind_ = Request::Kind::idle;
        if (request->owns_) [[unlikely]]
            request->owned_.reset();
        request->next_ = free_;
        free_ = request;
    }

    /// The request with that number, or null when the number was never given out or is free now.
    [[nodiscard]] Request* at(std::uint32_t id) noexcept {
        if (id / kBlock >= blocks_.size()) return nullptr;
        Request* request = &blocks_[id / kBlock][id % kBlock];
        return request->kind_ == Request::Kind::idle ? nullptr : request;
    }

    /// Calls `visit(const Request&)` for each that is in use, in no order; for reports.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& block : blocks_)
            for (std::uint32_t i = 0; i < kBlock; ++i)
                if (block[i].kind() != Request::Kind::idle) visit(std::as_const(block[i]));
    }

  private:
    [[nodiscard]] bool grow() noexcept;

    Request* free_ = nullptr;
    std::vector<std::unique_ptr<Request[]>> blocks_;
};

}  // namespace rb2::pt2pt
