#pragma once
// Users' buffers, written into the peer's in blocks. Several blocks are in flight, as in the RFTP paper,
// section 3 (rdma-middleware-rftp); here they are written where the CTS says, so no memory is granted ahead.
//
// Blocks go over all connections there are to the peer, each to the one with the fewest under way: so a
// slower device gets fewer. The rings have the first; the others may be further queue pairs of the same
// device, or of other devices (rails).
//
// A message is told of in the ring, that is, over the first connection, and must not be seen before its
// blocks are. Connections keep no order among each other, so all blocks must be complete before. Of the
// device of the rings that is enough. A completion of another device says that the peer's device has the
// block, not that it is in memory: it may still be on that device's way there (PCIe), and be overtaken by
// what the first device writes. So behind the last block a byte is read back over each connection of another
// device: a read pushes the writes before it into memory, and its completion is awaited too.
//
// A further connection that breaks is used no more: what was under way on it is written again over the
// others, and the record that tells of the message names the connection. The peer closes its end before it
// believes the record: nothing that has been delayed can land behind it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "runtime/fabric/harvest.hpp"
#include "runtime/network/channel.hpp"

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

/// A connection for blocks besides that of the rings.
template <class Endpoint>
struct Stripe {
    Endpoint* endpoint = nullptr;
    std::size_t own_rail = 0;  ///< whose keys, of the devices of each side
    std::size_t peer_rail = 0;
    std::size_t own_number = 0;  ///< of the connection, as each side counts; below 64
    std::size_t peer_number = 0;
    fabric::Sink scratch{};  ///< of a device other than the rings': a byte for reads whose result is nothing
};

/// The endpoint and the registrar are the caller's and outlive it.
template <fabric::Endpoint Endpoint>
class DirectWriter {
  public:
    DirectWriter(Endpoint& endpoint, Registrar& registrar, const DirectParameters& parameters)
        : registrar_(registrar), parameters_(parameters) {
        connections_.push_back({{.endpoint = &endpoint}});
        parameters_.depth = std::min(parameters_.depth, kMostInFlight);
    }

    void spread_over(const std::vector<Stripe<Endpoint>>& stripes) {
        for (const auto& stripe : stripes) connections_.push_back({stripe});
    }

    [[nodiscard]] std::unique_ptr<Transfer> prepare(std::span<const std::byte> source) noexcept {
        auto transfer = std::unique_ptr<Transfer>(new (std::nothrow) Transfer{.source = source});
        if (transfer == nullptr) return nullptr;
        const std::size_t pieces =
            (source.size() + parameters_.piece_bytes() - 1) / parameters_.piece_bytes();
        transfer->pins.reset(new (std::nothrow) std::unique_ptr<Pin>[pieces]);
        if (transfer->pins == nullptr || !pin_next(*transfer)) return nullptr;
        return transfer;
    }

    /// "The Hidden Cost of RDMA", section 4.2: the next piece is registered while the last one moves.
    Status advance(Transfer& transfer) noexcept {
        transfer.striped = connections_.size() > 1;
        for (;;) {
            const Status status = post_pinned(transfer);
            if (status != Status::ok && status != Status::would_block) return status;
            const bool ahead = transfer.pinned - transfer.posted >= parameters_.piece_bytes();
            if (ahead || transfer.pinned == transfer.source.size()) return Status::ok;
            if (!pin_next(transfer)) transfer.source = transfer.source.first(transfer.pinned);
        }
    }

    /// Completions of all connections but the first.
    void poll_further() noexcept {
        for (std::size_t i = 1; i < connections_.size(); ++i) {
            if (connections_[i].in_flight == 0) continue;
            fabric::harvest_completions(*connections_[i].endpoint,
                                        [this, i](const fabric::Completion& done) { take(i, done); });
        }
    }
    /// One of the first connection, of whatever kind.
    void take(const fabric::Completion& done) noexcept { take(0, done); }

    /// Whether the first connection is.
    [[nodiscard]] bool lost() const noexcept { return connections_.front().broken; }
    /// Of the others, as the peer counts them: a bit each.
    [[nodiscard]] std::uint64_t broken() const noexcept { return broken_; }
    /// The peer says that these are broken, as this side counts: nothing lands over them from now on.
    void close(std::uint64_t numbers) noexcept {
        for (std::size_t i = 1; i < connections_.size(); ++i)
            if ((numbers >> connections_[i].own_number & 1) != 0) lose(i);
    }

  private:
    struct Connection : Stripe<Endpoint> {
        std::uint32_t in_flight = 0;  ///< requests whose completion has not come, blocks and reads
        bool broken = false;
    };
    static constexpr std::size_t kNowhere = ~std::size_t{0};
    /// A request under way. Tickets are places of slots from 1; the rings' own are at the other end
    /// (wiring.hpp).
    struct Slot {
        Transfer* transfer = nullptr;  ///< null: the slot is free
        std::uint64_t at = 0;          ///< place of the block in the message
        std::uint64_t bytes = 0;       ///< 0: a read behind the blocks
        std::size_t connection = 0;    ///< kNowhere: to be posted again
    };

    bool pin_next(Transfer& transfer) noexcept {
        const auto rest = transfer.source.subspan(transfer.pinned);
        const auto piece = rest.first(std::min<std::uint64_t>(rest.size(), parameters_.piece_bytes()));
        auto& pin = transfer.pins[transfer.pinned / parameters_.piece_bytes()];
        pin = registrar_.pin(piece, Access::own_reads);
        if (pin == nullptr) return false;
        transfer.pinned += piece.size();
        return true;
    }

    /// Blocks of what is registered, the reads behind the last of them, and the doorbells.
    Status post_pinned(Transfer& transfer) noexcept {
        posted_ = false;
        Status status = post_again();
        while (transfer.posted < transfer.pinned && status == Status::ok) status = post_next(transfer);
        if (transfer.all_posted() && status == Status::ok) status = post_reads(transfer);
        if (posted_ && ring_doorbells() == Status::peer_lost) return Status::peer_lost;
        return status;
    }

    /// Blocks of connections that broke, of whatever message.
    Status post_again() noexcept {
        Status status = Status::ok;
        for (Slot& slot : slots_) {
            if (again_ == 0 || status != Status::ok) break;
            if (slot.transfer == nullptr || slot.connection != kNowhere) continue;
            status = post(slot, slot.at, slot.bytes, *slot.transfer);
            again_ -= status == Status::ok ? 1 : 0;
        }
        return status;
    }

    Status post_next(Transfer& transfer) noexcept {
        Slot* const slot = free_slot();
        if (slot == nullptr) return Status::would_block;
        const std::uint64_t bytes = std::min(parameters_.block_bytes, transfer.pinned - transfer.posted);
        const Status status = post(*slot, transfer.posted, bytes, transfer);
        if (status != Status::ok) return status;
        ++transfer.in_flight;
        transfer.posted += bytes;
        return Status::ok;
    }

    Status post(Slot& slot, std::uint64_t at, std::uint64_t bytes, Transfer& transfer) noexcept {
        const Pin& pin = *transfer.pins[at / parameters_.piece_bytes()];
        for (;;) {
            const std::size_t chosen = least_busy();
            Connection& connection = connections_[chosen];
            const fabric::Source source{transfer.source.data() + at, bytes, pin.key(connection.own_rail)};
            const Status status = connection.endpoint->write(
                source, transfer.target.on(connection.peer_rail) + at, {ticket_of(slot)});
            if (status == Status::peer_lost && chosen != 0) {
                lose(chosen);
                continue;
            }
            if (status != Status::ok) return status;
            slot = {&transfer, at, bytes, chosen};
            note_posted(chosen);
            if (connection.scratch.bytes != 0) transfer.unread |= std::uint64_t{1} << chosen;
            return Status::ok;
        }
    }

    /// What has been written over other devices: see above.
    Status post_reads(Transfer& transfer) noexcept {
        for (std::size_t i = 1; transfer.unread != 0 && i < connections_.size(); ++i) {
            const std::uint64_t bit = std::uint64_t{1} << i;
            if ((transfer.unread & bit) == 0) continue;
            Connection& connection = connections_[i];
            Slot* const slot = free_slot();
            if (slot == nullptr) return Status::would_block;
            const Status status = connection.endpoint->read(
                connection.scratch, transfer.target.on(connection.peer_rail), {ticket_of(*slot)});
            if (status == Status::would_block) return status;
            transfer.unread &= ~bit;  // of a broken one the peer makes sure
            if (status != Status::ok) {
                lose(i);
                continue;
            }
            *slot = {&transfer, 0, 0, i};
            ++transfer.in_flight;
            note_posted(i);
        }
        return again_ == 0 ? Status::ok : Status::would_block;
    }

    void note_posted(std::size_t connection) noexcept {
        ++connections_[connection].in_flight;
        posted_ = true;
    }

    /// A full queue is tried again with the next block.
    Status ring_doorbells() noexcept {
        for (std::size_t i = 1; i < connections_.size(); ++i)
            if (!connections_[i].broken && connections_[i].endpoint->flush() == Status::peer_lost) lose(i);
        return connections_.front().endpoint->flush();
    }

    [[nodiscard]] Slot* free_slot() noexcept {
        const auto end = slots_.begin() + parameters_.depth;
        const auto found =
            std::find_if(slots_.begin(), end, [](const Slot& slot) { return slot.transfer == nullptr; });
        return found == end ? nullptr : &*found;
    }
    [[nodiscard]] std::uint64_t ticket_of(const Slot& slot) const noexcept {
        return static_cast<std::uint64_t>(&slot - slots_.data()) + 1;
    }

    /// Of those equally busy each in turn.
    [[nodiscard]] std::size_t least_busy() noexcept {
        std::size_t best = kNowhere;
        for (std::size_t step = 0; step < connections_.size(); ++step) {
            const std::size_t i = (turn_ + step) % connections_.size();
            if (i != 0 && connections_[i].broken) continue;
            if (best == kNowhere || connections_[i].in_flight < connections_[best].in_flight) best = i;
        }
        turn_ = best + 1;
        return best;
    }

    /// A further connection is used no more.
    void lose(std::size_t number) noexcept {
        Connection& connection = connections_[number];
        if (connection.broken) return;
        connection.broken = true;
        broken_ |= std::uint64_t{1} << connection.peer_number;
        // Its device reads nothing of the blocks from now on: their memory is the user's again when they have
        // gone over another.
        if constexpr (requires(Endpoint endpoint) { endpoint.abandon(); }) connection.endpoint->abandon();
        for (Slot& slot : slots_) {
            if (slot.transfer == nullptr || slot.connection != number) continue;
            if (slot.bytes != 0) {
                slot.connection = kNowhere;
                ++again_;
            } else {
                --slot.transfer->in_flight;
                slot.transfer = nullptr;
            }
        }
    }

    void take(std::size_t number, const fabric::Completion& done) noexcept {
        Connection& connection = connections_[number];
        if (done.status != Status::ok) {
            if (number == 0)
                connection.broken = true;
            else
                lose(number);
        }
        if (done.ticket == 0 || done.ticket > slots_.size()) return;
        --connection.in_flight;
        Slot& slot = slots_[done.ticket - 1];
        // Of a broken connection: it has been posted again, or will be.
        if (slot.transfer == nullptr || slot.connection != number) return;
        --slot.transfer->in_flight;
        slot.transfer = nullptr;
    }

    Registrar& registrar_;
    DirectParameters parameters_;
    std::vector<Connection> connections_;  ///< the first is the rings'
    std::array<Slot, kMostInFlight> slots_{};
    std::size_t turn_ = 0;
    std::uint32_t again_ = 0;  ///< slots to be posted again
    bool posted_ = false;      ///< since the last doorbells
    std::uint64_t broken_ = 0;
};

}  // namespace rb2::network
