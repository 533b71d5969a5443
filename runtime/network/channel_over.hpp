#pragma once
// A network channel over any endpoint: a ring pair, and users' buffers written in blocks. Several blocks are
// in flight, as in the RFTP paper, section 3 (rdma-middleware-rftp); here they are written where the CTS
// says, so no memory is granted ahead.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/fabric/harvest.hpp"
#include "runtime/network/channel.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::network {

/// How users' buffers are written.
struct DirectParameters {
    std::uint64_t from = kNever;             ///< messages of at least so many bytes,
    std::uint64_t reused_from = kNever;      ///< and of so many if their memory has earned it (Registrar)
    std::uint64_t follow_from = kNever;      ///< Channel::follow_from(), where the endpoint can
    std::uint64_t block_bytes = 256U << 10;  ///< of one write
    std::uint32_t depth = 8;                 ///< blocks of one peer in flight, at most kMostInFlight
    std::uint32_t piece_blocks = 4;          ///< blocks that are registered at once

    [[nodiscard]] std::uint64_t piece_bytes() const noexcept { return piece_blocks * block_bytes; }
};

inline constexpr std::uint32_t kMostInFlight = 16;

/// The endpoint, the registrar and the memory of the blocks are the caller's and outlive it. Where the peer's
/// block is, open_to() says.
template <class M, fabric::Endpoint Endpoint>
class ChannelOver final : public Channel {
  public:
    ChannelOver(Endpoint& endpoint, Registrar& registrar, const ring::BlockPair& blocks,
                const ring::Parameters& outbound, const ring::Parameters& inbound,
                const DirectParameters& direct)
        : endpoint_(endpoint),
          registrar_(registrar),
          direct_(direct),
          blocks_of_rings_(blocks),
          outbound_(outbound),
          inbound_(inbound) {
        direct_.depth = std::min(direct_.depth, kMostInFlight);
        make_rings();
    }

    bool open() const noexcept override { return open_; }

    ring::Claim try_claim(std::uint32_t length) noexcept override {
        if (!open_) [[unlikely]] {
            wanted_ = true;
            return {};
        }
        return rings_->sender().try_claim(length);
    }

    Status commit(ring::Claim& claim, std::uint8_t kind, std::uint64_t word,
                  std::uint32_t length) noexcept override {
        return rings_->sender().commit_and_flush(claim, kind, word, length);
    }

    bool flushed() noexcept override {
        if (rings_->sender().flush() == Status::would_block) return false;
        // The ring does not know of what was held.
        if constexpr (kFollows) return !open_ || endpoint_.flush() != Status::would_block;
        return true;
    }
    void abort(ring::Claim& claim) noexcept override { rings_->sender().abort(claim); }
    std::uint32_t max_length() noexcept override { return rings_->sender().max_length(); }

    int drain(int budget, Handler handler) override {
        if (!open_) [[unlikely]]
            return failed_ && !ends_ ? kLost : 0;
        // What the peer sent before it was lost is still to be read.
        const Status status = poll_all();
        // Before the records behind it.
        const int landed = tell_landed(handler);
        const int records = rings_->receiver().drain(budget - landed, [handler](const ring::Record& record) {
            return handler.call(handler.object, record);
        });
        if (records < 0) return records;
        return records + landed == 0 && status == Status::peer_lost && !ends_ ? kLost : records + landed;
    }

    Status release() noexcept override { return open_ ? rings_->receiver().release() : Status::ok; }

    std::uint64_t follow_from() const noexcept override { return kFollows ? direct_.follow_from : kNever; }

    Status follow(std::span<const std::byte> payload) noexcept override {
        if constexpr (kFollows) {
            // The record that announces it may still wait for room.
            const Holding holding(*this);
            const Status status = rings_->sender().flush();
            return status == Status::ok ? endpoint_.follow(payload) : status;
        }
        return Status::fatal;
    }

    void place(std::span<std::byte> place, std::uint64_t bytes) noexcept override {
        if constexpr (kFollows) endpoint_.place(place, bytes);
    }

    void withdraw() noexcept override {
        if constexpr (kFollows) endpoint_.withdraw();
    }

    bool take_landed() noexcept override {
        if constexpr (kFollows) return endpoint_.take_landed();
        return false;
    }

    void hold(bool holds) noexcept override {
        if constexpr (kFollows) {
            if (!open_) return;  // nothing can be sent
            endpoint_.hold(holds);
            // A lost peer is told of by the next operation.
            if (!holds) static_cast<void>(endpoint_.flush());
        }
    }

    bool goes_direct(std::span<const std::byte> message) const noexcept override {
        return message.size() >= direct_.from ||
               (message.size() >= direct_.reused_from && registrar_.earned(message, direct_.from));
    }
    void copied(std::span<const std::byte> message) noexcept override {
        if (message.size() >= direct_.reused_from) registrar_.copied(message);
    }

    std::unique_ptr<Pin> admit(std::span<std::byte> memory) noexcept override {
        if (goes_direct(memory)) return registrar_.pin(memory, Access::peer_writes);
        copied(memory);
        return nullptr;
    }

    std::unique_ptr<Transfer> prepare(std::span<const std::byte> source) noexcept override {
        auto transfer = std::unique_ptr<Transfer>(new (std::nothrow) Transfer{.source = source});
        if (transfer == nullptr) return nullptr;
        const std::size_t pieces = (source.size() + direct_.piece_bytes() - 1) / direct_.piece_bytes();
        transfer->pins.reset(new (std::nothrow) std::unique_ptr<Pin>[pieces]);
        if (transfer->pins == nullptr || !pin_next(*transfer)) return nullptr;
        return transfer;
    }

    /// "The Hidden Cost of RDMA", section 4.2: the next piece is registered while the last one moves.
    Status advance(Transfer& transfer) noexcept override {
        transfer.striped = !stripes_.empty();
        for (;;) {
            const Status status = post_pinned(transfer);
            if (status != Status::ok && status != Status::would_block) return status;
            const bool ahead = transfer.pinned - transfer.posted >= direct_.piece_bytes();
            if (ahead || transfer.pinned == transfer.source.size()) return Status::ok;
            if (!pin_next(transfer)) transfer.source = transfer.source.first(transfer.pinned);
        }
    }

    void expect_end() noexcept override { ends_ = true; }

    /// The peer is reached, and its block is there. Users' blocks are spread over the endpoint and `stripes`,
    /// further connections to the same peer that share its registered memory; rings use the endpoint alone.
    void open_to(const fabric::Remote& peer, std::vector<Endpoint*> stripes = {}) {
        blocks_of_rings_.peer = peer;
        stripes_ = std::move(stripes);
        make_rings();
        open_ = true;
    }
    /// It never will be reached.
    void fail() noexcept { failed_ = true; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    /// Whether something was to be sent before.
    [[nodiscard]] bool wanted() const noexcept { return wanted_; }

  private:
    static constexpr bool kFollows = requires(Endpoint endpoint) { endpoint.follow({}); };

    /// Completions of all connections; peer_lost if any of them has ended.
    Status poll_all() noexcept {
        for (Endpoint* const stripe : stripes_)
            fabric::harvest_completions(*stripe,
                                        [this](const fabric::Completion& done) { take(this, done); });
        return lost_ ? Status::peer_lost : rings_->sender().poll();
    }

    [[nodiscard]] Endpoint& next_connection() noexcept {
        const std::size_t turn = turn_++ % (stripes_.size() + 1);
        return turn == 0 ? endpoint_ : *stripes_[turn - 1];
    }

    /// The doorbells of all connections; a full queue is tried again with the next block.
    Status ring_doorbells() noexcept {
        Status status = endpoint_.flush();
        for (Endpoint* const stripe : stripes_)
            if (stripe->flush() == Status::peer_lost) status = Status::peer_lost;
        return status;
    }

    int tell_landed(Handler handler) noexcept {
        if constexpr (kFollows) {
            if (!endpoint_.landed()) return 0;
            static_cast<void>(handler.call(handler.object, {kLanded, 0, {}}));
            return 1;
        }
        return 0;
    }

    void make_rings() {
        rings_.emplace(endpoint_, blocks_of_rings_, outbound_, inbound_,
                       ring::CompletionSink{.take = &ChannelOver::take, .owner = this});
    }

    bool pin_next(Transfer& transfer) noexcept {
        const auto rest = transfer.source.subspan(transfer.pinned);
        const auto piece = rest.first(std::min<std::uint64_t>(rest.size(), direct_.piece_bytes()));
        auto& pin = transfer.pins[transfer.pinned / direct_.piece_bytes()];
        pin = registrar_.pin(piece, Access::own_reads);
        if (pin == nullptr) return false;
        transfer.pinned += piece.size();
        return true;
    }

    /// Blocks of what is registered, and their doorbell.
    Status post_pinned(Transfer& transfer) noexcept {
        const std::uint64_t before = transfer.posted;
        Status status = Status::ok;
        while (transfer.posted < transfer.pinned && status == Status::ok) status = post_block(transfer);
        if (transfer.posted != before && ring_doorbells() == Status::peer_lost) return Status::peer_lost;
        return status;
    }

    /// Tickets of blocks are slot numbers from 1; the rings' own are at the other end (wiring.hpp).
    Status post_block(Transfer& transfer) noexcept {
        const auto slot = std::find(blocks_.begin(), blocks_.begin() + direct_.depth, nullptr);
        if (slot == blocks_.begin() + direct_.depth) return Status::would_block;
        const std::uint64_t bytes = std::min(direct_.block_bytes, transfer.pinned - transfer.posted);
        const auto& pin = transfer.pins[transfer.posted / direct_.piece_bytes()];
        const fabric::Source source{transfer.source.data() + transfer.posted, bytes, pin->key()};
        const auto ticket = static_cast<std::uint64_t>(slot - blocks_.begin()) + 1;
        const Status status = next_connection().write(source, transfer.target + transfer.posted, {ticket});
        if (status != Status::ok) return status;
        *slot = &transfer;
        ++transfer.in_flight;
        transfer.posted += bytes;
        return Status::ok;
    }

    static void take(void* owner, const fabric::Completion& done) {
        auto& self = *static_cast<ChannelOver*>(owner);
        self.lost_ = self.lost_ || done.status != Status::ok;
        if (done.ticket == 0 || done.ticket > self.blocks_.size()) return;
        Transfer*& block = self.blocks_[done.ticket - 1];
        if (block == nullptr) return;
        --block->in_flight;
        block = nullptr;
    }

    Endpoint& endpoint_;
    std::vector<Endpoint*> stripes_;
    std::size_t turn_ = 0;
    bool lost_ = false;
    Registrar& registrar_;
    DirectParameters direct_;
    bool open_ = false;
    bool wanted_ = false;
    bool failed_ = false;
    bool ends_ = false;
    ring::BlockPair blocks_of_rings_;
    ring::Parameters outbound_;
    ring::Parameters inbound_;
    std::optional<ring::RingChannel<M, Endpoint>> rings_;
    std::array<Transfer*, kMostInFlight> blocks_{};  ///< whose block is in flight
};

}  // namespace rb2::network
