#pragma once
// Table 2 of "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), as printed. The only place
// where the tests say what a channel should be; the channels' own Traits are checked against it as well.

#include <array>
#include <optional>
#include <string_view>

#include "runtime/channel/traits.hpp"

namespace rb2::channel::test {

/// A check mark, a cross, both with footnote a (depends on the second channel), or N/A.
enum class Mark : std::uint8_t { yes, no, depends, not_applicable };

// Where the paper's number has footnote a (the requests of Indirect read), a second channel may need more.

/// The last two columns; footnote a at a request: what the second channel uses comes on top.
enum class Used : std::uint8_t { send, write, write_atomic, read, read_a, write_a };
enum class Ordered : std::uint8_t { no, messages, bytes, messages_bytes, no_or_yes };

struct Row {
    std::string_view family;
    std::string_view type;
    Count half_round_trips;
    Count send_requests;
    Count receive_requests;
    Mark blocking;
    Mark zero_copy_send;
    Mark zero_copy_receive;
    bool appends_data;  ///< footnote b
    bool variable_size;
    Growth one_to_many;
    Growth many_to_one;
    Used requests;
    Ordered in_order;
};

inline constexpr auto kTable2 = [] {
    using enum Mark;
    constexpr Growth o1 = Growth::constant;
    constexpr Growth on = Growth::linear;
    constexpr auto n = [](std::uint32_t exactly) { return Count{exactly}; };
    constexpr auto ge = [](std::uint32_t least) { return Count{least, true}; };
    // clang-format off
    return std::array{
        //  family              type                        HRT    send   recv   blocking  zc send         zc recv         b      var    1:N N:1  requests            in-order
        Row{"Send/Recv",        "Normal",                   n(1),  n(1),  n(0),  yes,      yes,            no,             false, false, o1, on, Used::send,         Ordered::no},
        Row{"Send/Recv",        "Shared receive",           n(1),  n(1),  n(0),  yes,      yes,            no,             false, false, o1, o1, Used::send,         Ordered::no},
        Row{"Send/Recv",        "Bufferless",               n(1),  n(1),  n(0),  yes,      not_applicable, not_applicable, false, false, o1, o1, Used::send,         Ordered::no},
        Row{"Write slot",       "Detached bell",            n(1),  n(2),  n(0),  depends,  yes,            yes,            false, false, o1, on, Used::write,        Ordered::messages},
        Row{"Write slot",       "Inlined bell",             n(1),  n(1),  n(0),  no,       yes,            yes,            true,  false, o1, on, Used::write,        Ordered::bytes},
        Row{"Write slot",       "IMM capabilities",         n(1),  n(1),  n(0),  yes,      yes,            yes,            false, false, o1, on, Used::write,        Ordered::no},
        Row{"Write slot",       "+ reserve slot",           n(3),  ge(2), n(1),  depends,  yes,            yes,            false, false, o1, o1, Used::write,        Ordered::no_or_yes},
        Row{"Ring buffer",      "Detached bell",            n(1),  n(2),  n(0),  no,       yes,            no,             true,  true,  o1, on, Used::write,        Ordered::messages},
        Row{"Ring buffer",      "IMM capabilities",         n(1),  n(1),  n(0),  yes,      yes,            no,             false, true,  o1, on, Used::write,        Ordered::no},
        Row{"Ring buffer",      "Inlined bell w/ zeroing",  n(1),  n(1),  n(0),  no,       yes,            no,             true,  true,  o1, on, Used::write,        Ordered::bytes},
        Row{"Ring buffer",      "Inlined bell w/o zeroing", n(1),  n(1),  n(0),  no,       yes,            no,             true,  true,  o1, on, Used::write,        Ordered::messages_bytes},
        Row{"Shared ring",      "IMM capabilities",         n(3),  ge(2), n(0),  yes,      yes,            no,             false, true,  o1, o1, Used::write_atomic, Ordered::no},
        Row{"Shared ring",      "Inlined bell w/ zeroing",  n(3),  ge(2), n(0),  no,       yes,            no,             true,  true,  o1, o1, Used::write_atomic, Ordered::bytes},
        Row{"Read slot",        "Detached bell",            ge(4), n(0),  ge(2), no,       yes,            yes,            false, true,  o1, o1, Used::read,         Ordered::no},
        Row{"Read slot",        "Inlined bell",             ge(2), n(0),  ge(1), no,       yes,            yes,            false, false, o1, o1, Used::read,         Ordered::no},
        Row{"Read slot",        "Notify receiver",          n(3),  n(1),  n(1),  depends,  yes,            yes,            false, true,  o1, o1, Used::read_a,       Ordered::no},
        Row{"Read slot",        "Indirect read",            n(2),  ge(1), n(1),  depends,  yes,            yes,            false, false, o1, o1, Used::write_a,      Ordered::no_or_yes},
        Row{"Read ring buffer", "Detached bell",            ge(4), n(0),  ge(2), no,       no,             yes,            false, true,  o1, o1, Used::read,         Ordered::no},
        Row{"Read ring buffer", "Inlined bell",             ge(4), n(0),  ge(2), no,       no,             yes,            false, true,  o1, o1, Used::read,         Ordered::no},
        Row{"Read ring buffer", "Notify receiver",          n(3),  n(1),  n(1),  depends,  no,             yes,            false, true,  o1, o1, Used::read_a,       Ordered::no},
    };
    // clang-format on
}();
static_assert(kTable2.size() == 20);

/// The row of a channel.
[[nodiscard]] inline std::optional<Row> row_of(const Traits& traits) {
    for (const Row& row : kTable2) {
        if (row.family == traits.family && row.type == traits.type) return row;
    }
    return std::nullopt;
}

/// Whether a cell allows a channel with one of its second channels to be so.
[[nodiscard]] constexpr bool allows(Mark mark, Support measured) noexcept {
    switch (mark) {
        case Mark::yes:
            return measured == Support::yes;
        case Mark::no:
            return measured == Support::no;
        case Mark::depends:
            return measured != Support::not_applicable;
        default:
            return measured == Support::not_applicable;
    }
}
[[nodiscard]] constexpr Support as_support(bool yes) noexcept { return yes ? Support::yes : Support::no; }

[[nodiscard]] constexpr bool allows(Used used, const Requests& measured) noexcept {
    const bool second = measured.send || measured.write;  // kinds that a second channel may add
    switch (used) {
        case Used::send:
            return measured == Requests{.send = true};
        case Used::write:
            return measured == Requests{.write = true};
        case Used::write_atomic:  // and the reads that its second channel fetches the receiver's tail with
            return measured.write && measured.atomic && !measured.send;
        case Used::read:
            return measured == Requests{.read = true};
        case Used::read_a:
            return measured.read && second && !measured.atomic;
        default:
            return measured.write && !measured.read && !measured.atomic;
    }
}

[[nodiscard]] constexpr bool allows(Ordered ordered, const InOrder& needed) noexcept {
    switch (ordered) {
        case Ordered::no:
            return needed == InOrder{};
        case Ordered::messages:
            return needed == InOrder{.messages = true, .bytes = false};
        case Ordered::bytes:
            return needed == InOrder{.messages = false, .bytes = true};
        case Ordered::messages_bytes:
            return needed == InOrder{.messages = true, .bytes = true};
        default:
            return true;
    }
}

}  // namespace rb2::channel::test
