#pragma once
// A reliable connection: made, described by a card, connected to the peer's card.

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>

#include "runtime/fabric/verbs/completion_queue.hpp"

namespace rb2::fabric::verbs {

/// What the queue pair has room for.
struct QueueSizes {
    std::uint32_t requests = 0;
    std::uint32_t receives = 0;  ///< 0 with a shared receive queue
    std::uint32_t gather = 1;    ///< sources of one request
    std::uint32_t least_inline_bytes = 0;
    std::uint32_t wanted_inline_bytes = 0;
};

/// The completion queue outlives it. Not movable.
class QueuePair {
  public:
    /// `shared` may be null. Throws StartupError when the device has less than `sizes` asks for.
    QueuePair(CompletionQueue& queue, ibv_srq* shared, const QueueSizes& sizes);
    QueuePair(const QueuePair&) = delete;
    QueuePair& operator=(const QueuePair&) = delete;

    [[nodiscard]] ibv_qp* handle() const noexcept { return pair_.get(); }
    [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }
    [[nodiscard]] std::uint32_t inline_bytes() const noexcept { return inline_bytes_; }

    /// What the peer needs; `memory` is passed on as it is.
    [[nodiscard]] Card card(Remote memory) const noexcept;
    /// To the peer that gave this card, which connects to this one's. Once. Throws StartupError.
    void connect(const Card& peer);
    [[nodiscard]] bool connected() const noexcept { return connected_; }
    /// Device, port, GIDs and numbers of both sides, as far as they are known.
    [[nodiscard]] std::string describe() const;
    /// Whether this device writes the bytes of one WRITE front to back. Most do not promise it.
    [[nodiscard]] bool bytes_in_order() const noexcept;
    /// Nothing is sent or taken any more; what is under way fails.
    void break_off() noexcept;
    void destroy() noexcept { pair_.reset(); }

  private:
    void initialise();
    void choose_gids();
    void to_ready_to_receive();
    void to_ready_to_send();
    [[nodiscard]] int mtu() const noexcept;

    Device* device_;
    Owned<ibv_qp, &ibv_destroy_qp> pair_;
    std::uint32_t inline_bytes_ = 0;
    std::uint32_t first_packet_ = 0;
    Card peer_;     ///< its number is 0 until connect()
    GidPair gids_;  ///< of the device's address and the peer's
    bool connected_ = false;
};

}  // namespace rb2::fabric::verbs
