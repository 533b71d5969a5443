#include "pt2pt/job.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/reduction.hpp"
#include "pt2pt/threads.hpp"

namespace rb2::pt2pt {
namespace {

constinit std::unique_ptr<Job> instance;

/// What a rank tells the others of its wish in a split.
struct Wish {
    int has_color;
    int color;
    int key;
};

/// Of all ranks, element by element.
Status maximum(Communicator& of, std::span<std::uint32_t> values) {
    return collective::allreduce(of, std::as_writable_bytes(values),
                                 collective::reduction<std::uint32_t, collective::Maximum>());
}

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

/// The largest next id of all ranks is free on each, unless another thread of some rank agrees on one for
/// another parent meanwhile. So with threads the ranks take it if they still can, and then ask each other.
/// The largest of all ids asked for at a time always wins; there is a largest because each parent draws from
/// its own residue class, of a modulus that grows with the attempts. Ids of lost attempts stay unused.
/// That threads need more than the maximum is shown in Gropp, Thakur, "Thread-Safety in an MPI
/// Implementation: Requirements and Analysis", Parallel Computing 33(9), 2007; bit masks there, numbers here.
Status Job::agree_on_id(Communicator& parent, std::uint32_t& id) {
    for (std::uint32_t attempt = 0;; ++attempt) {
        const std::uint32_t modulus = 1U << std::min(attempt, 16U);
        std::array<std::uint32_t, 2> wish{next_id_ + (parent.id() - next_id_) % modulus, threads().shared()};
        if (const Status status = maximum(parent, wish); status != Status::ok) return status;
        id = wish[0];
        std::array<std::uint32_t, 1> refused{id < next_id_};
        next_id_ = std::max(next_id_, id + 1);
        if (wish[1] == 0) return Status::ok;  // no rank has threads
        if (const Status status = maximum(parent, refused); status != Status::ok || refused[0] == 0)
            return status;
    }
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
