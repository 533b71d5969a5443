#pragma once
// What Table 2 of "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler) says of a channel, as
// data. The tests measure every field on the counting fabric (tests/runtime/channel/table2_test.cc).

#include <cstdint>
#include <string_view>

namespace rb2::channel {

/// A number of the table; `or_more` where it reads "at least".
struct Count {
    std::uint32_t least = 0;
    bool or_more = false;

    [[nodiscard]] constexpr bool allows(std::uint64_t measured) const noexcept {
        return or_more ? measured >= least : measured == least;
    }
    friend bool operator==(const Count&, const Count&) = default;
};

enum class Support : std::uint8_t { no, yes, not_applicable };

/// How the memory that holds messages grows with the number of peers.
enum class Growth : std::uint8_t { constant, linear };

/// Kinds of request that a channel puts on the wire.
struct Requests {
    bool send = false;
    bool write = false;
    bool read = false;
    bool atomic = false;

    friend bool operator==(const Requests&, const Requests&) = default;
};

/// What the transport must keep in order.
struct InOrder {
    bool messages = false;  ///< operations take effect in posting order
    bool bytes = false;     ///< the bytes of one write land front to back
    bool reads = false;     ///< those of one READ are taken front to back; no channel of the table needs it

    friend bool operator==(const InOrder&, const InOrder&) = default;
};

/// One row, in the order of the columns. Where a cell of the table depends on a second channel (its footnote
/// a), this is the value for the second channel that the type names.
struct Traits {
    std::string_view family;
    std::string_view type;
    Count half_round_trips;         ///< from send() until the receiver has the message
    Count send_requests;            ///< per message, by the sender
    Count receive_requests;         ///< per message, by the receiver; posting a receive is none
    bool blocking_receive = false;  ///< a completion at the receiver announces the message
    Support zero_copy_send{};       ///< the message leaves from where the sender's caller has it
    Support zero_copy_receive{};    ///< it arrives where the side that starts the transfer wants it
    bool appends_data = false;      ///< footnote b: needs a gather list to be zero-copy
    bool variable_size = false;     ///< a short message takes less memory at the receiver than a long one
    Growth one_to_many{};           ///< memory of one sender with N receivers
    Growth many_to_one{};           ///< memory of one receiver with N senders
    Requests requests{};
    InOrder in_order{};
};

}  // namespace rb2::channel
