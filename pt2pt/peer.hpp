#pragma once
// What the engine keeps about one peer.

#include <algorithm>
#include <cstdint>

#include "datatype/copy.hpp"
#include "pt2pt/lane.hpp"
#include "pt2pt/protocol/path_choice.hpp"
#include "pt2pt/protocol/wire.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/unexpected.hpp"
#include "runtime/ring/channel.hpp"
#include "runtime/state/page.hpp"
#include "runtime/wait/doorbell.hpp"

namespace rb2::pt2pt {

/// The ring state is in the transport's channel.
struct alignas(64) Peer {
    // What every message needs, in one cache line:
    Request* send_head = nullptr;       // sends waiting for room, oldest first
    state::Traffic* traffic = nullptr;  // counted there
    Lane lane;                          // the transport's; none for the own rank
    wait::Doorbell* bell = nullptr;     // the peer's, if it shares memory
    std::uint64_t put_below = 0;        // messages of fewer bytes may be put() into its ring; 0: none
    int rank = 0;
    bool reserved = false;      // a reservation is open: the ring takes nothing else
    bool queued = false;        // in blocked_
    bool refuses_pull = false;  // it cannot read this rank's memory
    bool said_bye = false;      // this rank, to it

    Request* send_tail = nullptr;
    Request* answer_head = nullptr;  // matched receives whose CTS or FIN has not been sent
    Request* answer_tail = nullptr;
    Request* open_request = nullptr;        // who takes the peer's next `more` records: a receive,
    Unexpected* open_unexpected = nullptr;  // or an unexpected message
    std::uint64_t open_left = 0;            // bytes that those records, or what follows, still bring
    UnexpectedPtr bounce;                   // where what follows lands if not in the open request's buffer
    std::uint64_t unexpected_bytes = 0;
    std::uint32_t awaiting_cts = 0;   // sends that need an answer before they can go on
    std::uint32_t receiving = 0;      // begun receives still waiting for data
    std::uint64_t max_record = 0;     // payload bytes of a record to it, and of a message sent as one
    std::uint64_t chunk = 0;          // those of each record of a longer message but the last, at least
    std::uint64_t longest_chunk = 0;  // and at most
    std::uint64_t in_stream = 0;      // those of a message sent as one record in a stream of long ones
    std::uint64_t heard = 0;        // messages received of it, and one, when the last long one was sent to it
    std::uint64_t heard_bytes = 0;  // bytes received of it when they were last more than a record
    std::uint32_t unanswered = 0;   // long messages sent to it since
    std::uint64_t eager_window = 0;  // bytes of a message to it that are sent before it answers
    PathChoice paths;                // for the messages it offers
    ring::Claim claim{};             // of the open reservation
    UnexpectedPtr draft;             // the same for the own rank
    state::Traffic own_traffic;      // where it is counted while nobody looks

    static constexpr std::uint64_t kPieces = 4;
    static constexpr std::uint32_t kOneWay = 64;  ///< messages; as many as are often sent before a receive

    /// Payload bytes of the next record of a message of `total` of which `left` are still to go. Four pieces
    /// overlap most of the two copies; more of them only cost. The first one has lost what its header takes,
    /// and the last one makes up for it.
    [[nodiscard]] std::uint64_t next_record(std::uint64_t total, std::uint64_t left) const noexcept {
        const std::uint64_t piece = std::clamp(total / kPieces, chunk, longest_chunk);
        const std::uint64_t last = std::min(piece + sizeof(wire::FirstHeader), in_stream);
        return left <= std::max(max_record, last) ? left : piece;
    }
    /// The longest message sent as one record now. Pieces arrive earlier than the whole; in a stream, where
    /// nothing has come back since the last long message, the peer is busy with that one, and they only cost.
    [[nodiscard]] std::uint64_t longest_record() const noexcept {
        return in_a_stream() ? in_stream : max_record;
    }
    /// Nothing has come from it since note_long().
    [[nodiscard]] bool in_a_stream() const noexcept { return heard == traffic->received_messages + 1; }
    /// Long messages have gone one way for a while.
    [[nodiscard]] bool one_way() const noexcept { return unanswered >= kOneWay; }
    /// A long message is being sent.
    void note_long() noexcept {
        heard = traffic->received_messages + 1;
        ++unanswered;
        if (traffic->received_bytes - heard_bytes <= max_record) return;
        heard_bytes = traffic->received_bytes;
        unanswered = 0;
    }
};

/// Copies a message into its record in the peer's ring.
[[gnu::always_inline]] inline void fill_record(Peer& peer, std::byte* payload, const std::byte* data,
                                               std::size_t bytes) noexcept {
    if (bytes < kStringCopies.in_streams_from) return copy_payload(payload, data, bytes);
    copy_long(payload, data, bytes, peer.in_a_stream() ? kStringCopies.in_streams_from : kStringCopies.from);
    peer.note_long();
}

/// Of a message that goes to the peer now.
[[gnu::always_inline]] inline void count_sent(const Peer& peer, std::uint64_t bytes) noexcept {
    state::Traffic& traffic = *peer.traffic;
    traffic.sent_messages += 1;
    traffic.sent_bytes += bytes;
}
/// It was not sent after all.
[[gnu::cold, gnu::noinline]] inline void uncount_sent(const Peer& peer, std::uint64_t bytes) noexcept {
    --peer.traffic->sent_messages;
    peer.traffic->sent_bytes -= bytes;
}

[[gnu::always_inline]] inline void count_received(state::Traffic& traffic, std::uint64_t bytes,
                                                  std::uint64_t messages = 1) noexcept {
    traffic.received_messages += messages;
    traffic.received_bytes += bytes;
}
/// It stays in the ring for now.
inline void uncount_received(state::Traffic& traffic, std::uint64_t bytes) noexcept {
    --traffic.received_messages;
    traffic.received_bytes -= bytes;
}

}  // namespace rb2::pt2pt
