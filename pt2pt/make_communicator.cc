// How a job makes communicators: the ranks agree on an id, and on who is in it (MPI 5.0, sections 7.4 and
// 7.6).

#include <algorithm>
#include <span>

#include "pt2pt/agreement.hpp"
#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/reduction.hpp"
#include "pt2pt/job.hpp"

namespace rb2::pt2pt {
namespace {

template <class T>
std::span<std::byte> bytes_of(T& value) {
    return std::as_writable_bytes(std::span(&value, 1));
}

struct Larger {
    Identity operator()(const Identity& a, const Identity& b) const { return larger(a, b); }
};

/// What the leaders of two groups tell each other.
struct LeaderCard {
    std::uint32_t id;
    std::int32_t size;
};

std::vector<int> all_members(const Group& group) {
    std::vector<int> members(static_cast<std::size_t>(group.size()));
    for (int rank = 0; rank < group.size(); ++rank)
        members[static_cast<std::size_t>(rank)] = group.world_rank(rank);
    return members;
}

std::unique_ptr<Communicator> make_inter(Engine& engine, std::uint32_t id, int rank, Group local,
                                         Group remote) {
    auto own = std::make_unique<Communicator>(engine, Identity{id + Communicator::kLocalIdOffset}, rank,
                                              std::move(local));
    return std::make_unique<Communicator>(engine, id, std::move(remote), std::move(own));
}

int place_in(std::span<const int> ranks, int rank) {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

Status Job::agree_on(Identity& identity, Communicator& parent) {
    const Identity proposed = propose();
    identity = proposed;
    Communicator& own = parent.is_inter() ? parent.local() : parent;
    Status status = collective::allreduce(own, bytes_of(identity), collective::reduction<Identity, Larger>());
    Identity remote = identity;
    if (status == Status::ok && parent.is_inter())
        status = swap_groups(parent, bytes_of(identity), bytes_of(remote));
    identity = larger(identity, remote);
    return status == Status::ok ? accept(proposed, identity) : status;
}

std::unique_ptr<Communicator> Job::duplicate_as(const Identity& identity, const Communicator& parent) {
    Engine& engine = parent.engine();
    if (parent.is_inter())
        return make_inter(engine, identity.id, parent.rank(), parent.local().group(), parent.group());
    return std::make_unique<Communicator>(engine, identity, parent.rank(), parent.group());
}

Job::Made Job::duplicate(Communicator& parent) {
    Made made;
    Identity identity;
    made.status = agree_on(identity, parent);
    if (made.status == Status::ok) made.communicator = duplicate_as(identity, parent);
    return made;
}

Job::Made Job::split(Communicator& parent, std::optional<int> color, int key) {
    if (parent.is_inter()) return split_inter(parent, color, key);
    Made made;
    Identity identity;
    made.status = agree_on(identity, parent);
    if (made.status != Status::ok) return made;
    std::vector<Wish> wishes;
    made.status = gather_wishes(parent, {color.has_value(), color.value_or(0), key}, wishes);
    if (made.status != Status::ok || !color) return made;

    const std::vector<int> ranks = ranks_of_color(wishes, *color);
    // Colors share the id: their groups have no rank in common, so no message can be taken for another
    // color's.
    made.communicator = std::make_unique<Communicator>(
        parent.engine(), identity, place_in(ranks, parent.rank()), Group(members_of(parent.group(), ranks)));
    return made;
}

Job::Made Job::split_inter(Communicator& parent, std::optional<int> color, int key) {
    Made made;
    Identity identity;
    made.status = agree_on(identity, parent);
    if (made.status != Status::ok) return made;
    Communicator& local = parent.local();
    std::vector<Wish> wishes;
    made.status = gather_wishes(local, {color.has_value(), color.value_or(0), key}, wishes);
    if (made.status != Status::ok) return made;
    std::vector<Wish> remote_wishes(static_cast<std::size_t>(parent.size()));
    made.status = swap_groups(parent, std::as_bytes(std::span(wishes)),
                              std::as_writable_bytes(std::span(remote_wishes)));
    if (made.status != Status::ok || !color) return made;

    const std::vector<int> ranks = ranks_of_color(wishes, *color);
    const std::vector<int> remote_ranks = ranks_of_color(remote_wishes, *color);
    if (!remote_ranks.empty())
        made.communicator = make_inter(parent.engine(), identity.id, place_in(ranks, parent.rank()),
                                       Group(members_of(local.group(), ranks)),
                                       Group(members_of(parent.group(), remote_ranks)));
    return made;
}

Job::Made Job::create_group(const Communicator& parent, std::vector<int> members, int tag) {
    Made made;
    const int rank = place_in(members, world_->rank());
    Communicator meeting(parent.engine(), {parent.id() | Communicator::kMeetingBit}, rank, Group(members));
    meeting.start_collective_tags(tag);
    Identity identity;
    made.status = agree_on(identity, meeting);
    if (made.status == Status::ok)
        made.communicator =
            std::make_unique<Communicator>(parent.engine(), identity, rank, Group(std::move(members)));
    return made;
}

Job::Made Job::create_from_group(std::vector<int> members, int tag) {
    const Communicator nobodys(world_->engine(), {Communicator::kSignalsId}, 0,
                               Group::identity(world_->size()));
    return create_group(nobodys, std::move(members), tag);
}

Job::Made Job::create_from_groups(std::vector<int> local, int leader, int remote_leader, int tag) {
    const Made own = create_from_group(std::move(local), tag);
    if (own.status != Status::ok) return {own.status, nullptr};
    const Communicator over(world_->engine(), {Communicator::kSignalsId | Communicator::kMeetingBit},
                            world_->rank(), Group::identity(world_->size()));
    const Bridge bridge{over, remote_leader, tag};
    return connect(*own.communicator, leader, &bridge);
}

Job::Made Job::connect(Communicator& local, int leader, const Bridge* bridge) {
    Made made;
    Identity identity;
    made.status = agree_on(identity, local);
    if (made.status != Status::ok) return made;
    const std::vector<int> members = all_members(local.group());
    const auto swap = [&](std::span<const std::byte> out, std::span<std::byte> in) {
        return local.rank() != leader
                   ? Status::ok
                   : swap_messages(bridge->over, bridge->peer, bridge->over.context(), bridge->tag, out, in);
    };
    const LeaderCard own{identity.id, local.size()};
    LeaderCard remote{identity.id, 0};
    made.status = swap(std::as_bytes(std::span(&own, 1)), bytes_of(remote));
    const Status card_told = collective::broadcast(local, bytes_of(remote), leader);
    if (made.status == Status::ok && remote.size == 0) made.status = Status::fatal;  // the leaders failed
    std::vector<int> remote_members(static_cast<std::size_t>(remote.size));
    if (made.status == Status::ok)
        made.status =
            swap(std::as_bytes(std::span(members)), std::as_writable_bytes(std::span(remote_members)));
    const Status members_told =
        collective::broadcast(local, std::as_writable_bytes(std::span(remote_members)), leader);
    for (const Status status : {card_told, members_told})
        if (made.status == Status::ok) made.status = status;
    if (made.status != Status::ok) return made;
    const std::uint32_t id = std::max(identity.id, remote.id);
    made.status = accept({}, {id});
    if (made.status != Status::ok) return made;
    made.communicator =
        make_inter(local.engine(), id, local.rank(), local.group(), Group(std::move(remote_members)));
    return made;
}

Job::Made Job::merge(Communicator& inter, bool high) {
    Made made;
    Identity identity;
    made.status = agree_on(identity, inter);
    if (made.status != Status::ok) return made;
    Communicator& local = inter.local();
    // Rank 0 speaks for its group.
    int own_high = high ? 1 : 0;
    int remote_high = 0;
    made.status = collective::broadcast(local, bytes_of(own_high), 0);
    if (made.status == Status::ok)
        made.status = swap_groups(inter, bytes_of(own_high), bytes_of(remote_high));
    if (made.status != Status::ok) return made;
    const bool first = own_high != remote_high ? own_high == 0 : local.world_rank(0) < inter.world_rank(0);
    std::vector<int> members = all_members(first ? local.group() : inter.group());
    const std::vector<int> others = all_members(first ? inter.group() : local.group());
    members.insert(members.end(), others.begin(), others.end());
    const int rank = local.rank() + (first ? 0 : inter.size());
    made.communicator =
        std::make_unique<Communicator>(inter.engine(), identity, rank, Group(std::move(members)));
    return made;
}

}  // namespace rb2::pt2pt
