#include "runtime/network/direct_choice.hpp"

#include <fmt/format.h>

namespace rb2::network {
namespace {

using memory::critical_size::Crossing;
/// Up to 4 MiB at the least, following its record is faster (docs/experiments.md). Not so far up for the sake
/// of unexpected messages: each stays below an eighth of what is kept of one peer.
constexpr std::uint64_t kDirectOfTcp = 2U << 20;

DirectChoice wish(std::uint64_t bytes) { return {bytes, "RB2_DIRECT_BYTES"}; }

}  // namespace

DirectChoice choose_direct(std::uint64_t wanted, bool kept, const memory::critical_size::Result& measured) {
    if (wanted != 0) return wish(wanted);
    const Crossing& crossing = measured.crossings.at({.resident = true, .huge = false});
    const std::uint64_t from = kept ? crossing.registering : crossing.reregistering;
    return {from,
            fmt::format("from there on {} cheaper than copying ({})",
                        kept ? "registering is" : "registering and deregistering are", measured.source)};
}

DirectChoice choose_direct_of_tcp(std::uint64_t wanted) {
    if (wanted != 0) return wish(wanted);
    return {kDirectOfTcp, "fixed: sockets need no registration, shorter messages follow their records"};
}

}  // namespace rb2::network
