#include "pt2pt/shm_transport.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace rb2::pt2pt {

ShmTransport::ShmTransport(const mesh::Mesh& mesh, const wait::Policy& policy,
                           std::function<void(std::string)> fail)
    : waiter_(mesh.own_control().doorbell, policy), fail_(std::move(fail)) {
    const auto own = mesh.rank();
    lanes_.resize(mesh.cards().size());
    phases_.resize(mesh.cards().size());
    may_reach_.resize(mesh.cards().size());
    single_copies_.resize(mesh.cards().size());
    fabric::shm::permit_single_copy();
    for (std::uint32_t rank = 0; rank < lanes_.size(); ++rank) {
        mesh::ControlBlock& control = rank == own ? mesh.own_control() : mesh.control(rank);
        lanes_[rank].doorbell = &control.doorbell;
        phases_[rank] = &control.phase;
        if (rank == own) continue;
        may_reach_[rank] = bootstrap::same_process_space(mesh.cards()[own].host, mesh.cards()[rank].host);
        if (may_reach_[rank]) single_copies_[rank] = fabric::shm::SingleCopy(mesh.cards()[rank].pid);
        const auto block = [&](std::span<std::byte> window, std::uint32_t owner, std::uint32_t peer) {
            return window.subspan(mesh.block_offset(owner, peer), mesh.layout(owner).bytes());
        };
        lanes_[rank].channel = std::make_unique<Channel>(
            block(mesh.own_window(), own, rank), block(mesh.window(rank), rank, own),
            ring::Parameters::messaging(mesh.layout(rank).inbound_slots),
            ring::Parameters::messaging(mesh.layout(own).inbound_slots));
    }
}

void ShmTransport::release_credits() {
    for (std::size_t rank = 0; rank < lanes_.size(); ++rank) {
        if (lanes_[rank].channel == nullptr) continue;
        auto& receiver = lanes_[rank].channel->receiver();
        const std::uint64_t reported = receiver.reported();
        // A store into mapped memory: it cannot fail.
        static_cast<void>(receiver.release());
        // Ringing everybody would have idle ranks wake each other for ever.
        if (receiver.reported() != reported) notify(static_cast<int>(rank));
    }
}

void ShmTransport::forsaken(std::string text) {
    fail_(std::move(text));
    std::abort();
}

void ShmTransport::protocol_error(int rank, std::string_view what) {
    fail_(fmt::format(
        "rank {} sent {} over shared memory; its memory was overwritten, or the two ranks run different "
        "versions of rb2",
        rank, what));
    std::abort();
}

void ShmTransport::peer_lost(int rank) {
    fail_(fmt::format("rank {} can no longer be reached over shared memory", rank));
    std::abort();
}

}  // namespace rb2::pt2pt
