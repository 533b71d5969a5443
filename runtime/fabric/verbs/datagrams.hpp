#pragma once
// Words to any peer without a connection (an UD queue pair): those by which connections are made. They may be
// lost, doubled or late; a receiver that never looks loses what it has no room for.

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/fabric/verbs/completion_queue.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::verbs {

/// The completion queue outlives it; one for each queue. The thread rule is the queue's. Not movable.
class Datagrams {
  public:
    static constexpr std::size_t kMostBytes = 472;

    /// `key`: only those with the same one are heard. Throws StartupError.
    Datagrams(CompletionQueue& queue, std::uint32_t key);
    Datagrams(const Datagrams&) = delete;
    Datagrams& operator=(const Datagrams&) = delete;
    ~Datagrams();

    /// What peers send to, with the device's address.
    [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }

    /// Up to kMostBytes. ok: it is on its way, for all that is known. would_block: too many are.
    /// invalid_argument: no GID of this side reaches that address.
    Status send(const Address& to, std::uint32_t number, std::span<const std::byte> bytes);

    /// Whether take() has something.
    [[nodiscard]] bool arrived() const noexcept { return taken_ != arrived_; }
    /// The bytes of each that has arrived, to `handle`; they are gone when it returns.
    template <class Handle>
    void take(Handle&& handle) {
        while (arrived()) {
            const Arrival next = arrivals_[taken_ % kReceives];
            handle(std::span<const std::byte>(slot(next.place) + kHeaderBytes, next.bytes));
            give_back();
        }
    }

    /// From the completion queue.
    void completed(const ibv_wc& completion) noexcept;

  private:
    static constexpr std::size_t kHeaderBytes = sizeof(ibv_grh);  ///< in front of what arrives
    static constexpr std::size_t kSlotBytes = 512;
    static constexpr std::uint32_t kReceives = 64;
    static constexpr std::uint32_t kSends = 32;
    static_assert(kHeaderBytes + kMostBytes == kSlotBytes);
    /// On pages of its own: fork safety. First the receives, then the sends.
    struct alignas(4096) Slots {
        std::array<std::byte, (kReceives + kSends) * kSlotBytes> bytes{};
    };
    struct Arrival {
        std::uint32_t place = 0;
        std::uint32_t bytes = 0;
    };
    using Way = Owned<ibv_ah, &ibv_destroy_ah>;

    void make_pair();
    void make_ready();
    void post_receive(std::uint32_t place) noexcept;
    void give_back() noexcept;
    [[nodiscard]] std::byte* slot(std::uint32_t place) const noexcept {
        return slots_->bytes.data() + place * kSlotBytes;
    }

    CompletionQueue* queue_;
    std::uint32_t key_;
    std::unique_ptr<Slots> slots_;
    Region region_;
    Owned<ibv_qp, &ibv_destroy_qp> pair_;
    std::array<Arrival, kReceives> arrivals_{};  ///< circular
    std::uint32_t arrived_ = 0;
    std::uint32_t taken_ = 0;
    std::array<Way, kSends> ways_;  ///< of the sends under way; null: the slot is free
};

}  // namespace rb2::fabric::verbs
