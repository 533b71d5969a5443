#include "pt2pt/agreement.hpp"

#include <algorithm>

#include "pt2pt/collective/collective.hpp"

namespace rb2::pt2pt {

std::vector<int> ranks_of_color(std::span<const Wish> wishes, int color) {
    const auto wish_of = [&](int rank) -> const Wish& { return wishes[static_cast<std::size_t>(rank)]; };
    std::vector<int> ranks;
    for (int rank = 0; rank < static_cast<int>(wishes.size()); ++rank)
        if (wish_of(rank).has_color != 0 && wish_of(rank).color == color) ranks.push_back(rank);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](int a, int b) { return wish_of(a).key < wish_of(b).key; });
    return ranks;
}

std::vector<int> members_of(const Group& group, std::span<const int> ranks) {
    std::vector<int> members(ranks.size());
    std::transform(ranks.begin(), ranks.end(), members.begin(),
                   [&](int rank) { return group.world_rank(rank); });
    return members;
}

Status gather_wishes(Communicator& communicator, Wish own, std::vector<Wish>& wishes) {
    wishes.resize(static_cast<std::size_t>(communicator.size()));
    wishes[static_cast<std::size_t>(communicator.rank())] = own;
    return collective::allgather(communicator, std::as_writable_bytes(std::span(wishes)));
}

Status swap_messages(const Communicator& over, int peer, std::uint32_t context, int tag,
                     std::span<const std::byte> out, std::span<std::byte> in) {
    Engine& engine = over.engine();
    const int destination = over.world_rank(peer);
    Request* const incoming = engine.ireceive(in, destination, context, tag);
    if (incoming == nullptr) return Status::out_of_memory;
    const Status sent = engine.send(out, destination, context, tag);
    engine.wait(*incoming);
    const Status received = incoming->info().status;
    engine.release(incoming);
    return sent == Status::ok ? received : sent;
}

Status swap_groups(Communicator& inter, std::span<const std::byte> out, std::span<std::byte> in) {
    const int tag = inter.next_collective_tag();
    Status swapped = Status::ok;
    if (inter.rank() == 0) swapped = swap_messages(inter, 0, inter.collective_context(), tag, out, in);
    const Status told = collective::broadcast(inter.local(), in, 0);
    return swapped == Status::ok ? told : swapped;
}

}  // namespace rb2::pt2pt
