#include "runtime/ring/channel.hpp"

#include <fmt/format.h>

#include "runtime/ring/fake_channel.hpp"

namespace rb2::ring {

static_assert(Channel<ShmChannel>);
static_assert(Channel<FakeChannel>);
static_assert(Channel<RingChannel<mix::Rb2, fabric::shm::Endpoint>>);

template class Sender<mix::Rb2InPlace, fabric::shm::Endpoint>;
template class Receiver<mix::Rb2InPlace, fabric::shm::Endpoint>;
template class Sender<mix::Rb2, fabric::shm::Endpoint>;
template class Receiver<mix::Rb2, fabric::shm::Endpoint>;
template class Sender<mix::Rb2, fabric::fake::Endpoint>;
template class Receiver<mix::Rb2, fabric::fake::Endpoint>;

namespace {

void require_bytes(std::span<std::byte> block, std::uint64_t slots, const char* whose) {
    const std::size_t needed = ShmChannel::block_bytes(slots);
    if (block.size() >= needed && reinterpret_cast<std::uintptr_t>(block.data()) % kLinePairBytes == 0)
        return;
    throw StartupError(fmt::format(
        "shm channel: {} block has {} bytes at {}, but a ring of {} slots needs {} bytes aligned to {}; "
        "make the shared segment larger or the ring smaller",
        whose, block.size(), static_cast<const void*>(block.data()), slots, needed, kLinePairBytes));
}

}  // namespace

ShmChannel::ShmChannel(std::span<std::byte> own, std::span<std::byte> peer, const Parameters& outbound,
                       const Parameters& inbound)
    : endpoint_((require_bytes(own, inbound.slots, "this rank's"),
                 require_bytes(peer, outbound.slots, "the peer's"),
                 fabric::shm::Windows{.own = own, .peer = peer})),
      ring_(endpoint_,
            BlockPair{
                .own = own.data(), .own_layout = {.inbound_slots = inbound.slots}, .own_key = 0, .peer = {}},
            outbound, inbound) {}

}  // namespace rb2::ring
