#include "pt2pt/departed.hpp"

#include <fmt/format.h>

#include "pt2pt/describe.hpp"

namespace rb2::pt2pt {
namespace {

// Collectives use the odd contexts (Communicator::collective_context()).
std::string show_message(const Awaited& awaited) {
    return awaited.context % 2 == 1 ? "of a collective call" : fmt::format("with {}", show_tag(awaited.tag));
}

}  // namespace

std::string hopeless_text(const Awaited& awaited) {
    if (awaited.what == Awaited::What::send)
        return fmt::format(
            "a message of {0} bytes to rank {1} {2} can never be received: rank {1} has finalized. Check "
            "that every "
            "send has its receive.",
            awaited.bytes, awaited.peer, show_message(awaited));
    if (awaited.what == Awaited::What::answers)
        return fmt::format(
            "messages to rank {0} can never be received: rank {0} has finalized. Check that every send has "
            "its "
            "receive.",
            awaited.peer);
    if (awaited.peer == kAnySource)
        return "waits for a message, but all other ranks have finalized. Check that every receive has its "
               "send.";
    return fmt::format(
        "waits for a message from rank {0} {1}, but rank {0} has finalized. Check that every receive has its "
        "send.",
        awaited.peer, show_message(awaited));
}

}  // namespace rb2::pt2pt
