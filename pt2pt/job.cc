#include "pt2pt/job.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/reduction.hpp"

namespace rb2::pt2pt {
namespace {

constinit std::unique_ptr<Job> instance;

/// What a rank tells the others of its wish in a split.
struct Wish {
    int has_color;
    int color;
    int key;
};

}  // namespace

Job::Job(World& world)
    : world_(&world),
      world_communicator_(world.engine(), Communicator::kWorldId, world.rank(),
                          Group::identity(world.size())),
      self_communicator_(world.engine(), Communicator::kSelfId, 0, Group(std::vector<int>{world.rank()})) {}

Job& Job::join() {
    if (!instance) instance.reset(new Job(World::start()));
    ++instance->users_;
    return *instance;
}

Job* Job::current() noexcept { return instance.get(); }

void Job::leave() {
    if (!instance || --instance->users_ > 0) return;
    World& world = instance->world();
    instance.reset();
    world.finalize();
}

Status Job::agree_on_id(Communicator& parent, std::uint32_t& id) {
    id = next_id_;
    const Status status = collective::allreduce(parent, std::as_writable_bytes(std::span(&id, 1)),
                                                collective::reduction<std::uint32_t, collective::Maximum>());
    if (status == Status::ok) next_id_ = id + 1;
    return status;
}

std::unique_ptr<Communicator> Job::duplicate(Communicator& parent) {
    std::uint32_t id = 0;
    if (agree_on_id(parent, id) != Status::ok) return nullptr;
    return std::make_unique<Communicator>(parent.engine(), id, parent.rank(), parent.group());
}

Job::Split Job::split(Communicator& parent, std::optional<int> color, int key) {
    Split result;
    std::uint32_t id = 0;
    result.status = agree_on_id(parent, id);
    if (result.status != Status::ok) return result;

    std::vector<Wish> wishes(static_cast<std::size_t>(parent.size()));
    wishes[static_cast<std::size_t>(parent.rank())] = {color.has_value(), color.value_or(0), key};
    result.status = collective::allgather(parent, std::as_writable_bytes(std::span(wishes)));
    if (result.status != Status::ok || !color) return result;

    std::vector<int> ranks;
    for (int rank = 0; rank < parent.size(); ++rank) {
        const Wish& wish = wishes[static_cast<std::size_t>(rank)];
        if (wish.has_color != 0 && wish.color == *color) ranks.push_back(rank);
    }
    std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
        return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
    });
    const auto own = std::find(ranks.begin(), ranks.end(), parent.rank()) - ranks.begin();
    std::vector<int> members(ranks.size());
    std::transform(ranks.begin(), ranks.end(), members.begin(),
                   [&](int rank) { return parent.world_rank(rank); });
    // Colors share the id: their groups have no rank in common, so no message can be taken for another
    // color's.
    result.communicator =
        std::make_unique<Communicator>(parent.engine(), id, static_cast<int>(own), Group(std::move(members)));
    return result;
}

}  // namespace rb2::pt2pt
