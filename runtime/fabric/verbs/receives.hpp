#pragma once
// Posted receives: their tickets while the card has them, and receives that many endpoints share.

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/verbs/completion_queue.hpp"

namespace rb2::fabric::verbs {

/// Tickets and sinks of the receives that are posted. Places are given out and come back in any order.
class ReceiveTable {
  public:
    struct Receive {
        Sink sink;
        std::uint64_t ticket = 0;
    };

    explicit ReceiveTable(std::uint32_t capacity);

    [[nodiscard]] bool full() const noexcept { return free_.empty(); }
    /// Not when full.
    [[nodiscard]] std::uint32_t add(const Receive& receive) noexcept;
    [[nodiscard]] const Receive& operator[](std::uint32_t place) const noexcept { return receives_[place]; }
    void remove(std::uint32_t place) noexcept { free_.push_back(place); }

  private:
    std::vector<Receive> receives_;
    std::vector<std::uint32_t> free_;
};

/// A shared receive queue of the card, for endpoints that are made with it. Their receives are those of the
/// SharedReceives that one of them is given (Endpoint::share()). The completion queue outlives it, it
/// outlives the endpoints.
class ReceiveGroup {
  public:
    /// At most `capacity` receives posted. Throws StartupError.
    ReceiveGroup(CompletionQueue& queue, std::uint32_t capacity);
    ~ReceiveGroup();
    ReceiveGroup(const ReceiveGroup&) = delete;
    ReceiveGroup& operator=(const ReceiveGroup&) = delete;

    [[nodiscard]] ibv_srq* handle() const noexcept { return queue_.get(); }
    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] Device& device() noexcept { return completions_->device(); }

  private:
    CompletionQueue* completions_;
    std::uint32_t capacity_;
    Owned<ibv_srq, &ibv_destroy_srq> queue_;
};

/// Receives that several endpoints of one group draw from. What is posted before the first of them shares it
/// is kept until then.
class SharedReceives {
  public:
    static constexpr std::size_t kDefaultCapacity = 1024;

    /// The sinks lie in `memory`, which outlives the endpoints. At most `capacity` receives at a time, and
    /// no more than the group has room for.
    explicit SharedReceives(std::span<std::byte> memory, std::size_t capacity = kDefaultCapacity);
    SharedReceives(const SharedReceives&) = delete;
    SharedReceives& operator=(const SharedReceives&) = delete;

    /// invalid_argument outside the memory, would_block when full, peer_lost if the card refuses.
    Status post(Sink sink, std::uint64_t ticket) noexcept;
    [[nodiscard]] std::uint64_t posted() const noexcept { return posted_; }  ///< ever

    // For the endpoints.

    /// Posts to `group` from now on. False if that fails, or another group has it.
    [[nodiscard]] bool bind(ReceiveGroup& group) noexcept;
    [[nodiscard]] const ReceiveTable& table() const noexcept { return table_; }
    void remove(std::uint32_t place) noexcept { table_.remove(place); }
    /// Posts a receive again that was used up without having been filled.
    Status post_again(std::uint32_t place) noexcept;

  private:
    [[nodiscard]] bool inside(const Sink& sink) const noexcept;

    std::span<std::byte> memory_;
    ReceiveTable table_;
    ReceiveGroup* group_ = nullptr;
    std::optional<Region> region_;
    std::vector<std::uint32_t> waiting_;  ///< posted before there was a group
    std::uint64_t posted_ = 0;
};

}  // namespace rb2::fabric::verbs
