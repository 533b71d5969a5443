#include "pt2pt/job.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pt2pt/undestroyed.hpp"

namespace rb2::pt2pt {
namespace {

constinit Undestroyed<std::unique_ptr<Job>> storage;
constinit std::unique_ptr<Job>& instance = storage.value;

}  // namespace

Job::Job(World& world)
    : world_(&world),
      next_number_(static_cast<std::uint64_t>(world.rank())),
      world_communicator_(world.engine(), {Communicator::kWorldId, 0}, world.rank(),
                          Group::identity(world.size())),
      self_communicator_(world.engine(), {Communicator::kSelfId}, 0, Group(std::vector<int>{world.rank()})) {}

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

Identity Job::propose() noexcept {
    const std::uint64_t number = next_number_;
    next_number_ += static_cast<std::uint64_t>(world_->size());
    const std::uint64_t id = Communicator::kFirstFreeId + number * Communicator::kIdsPerCommunicator;
    const bool busy = std::exchange(place_proposed_, true);
    return {static_cast<std::uint32_t>(std::min<std::uint64_t>(id, Communicator::kIdLimit)),
            busy ? Identity::kNoPlace : next_place_};
}

Status Job::accept(const Identity& proposed, const Identity& agreed) noexcept {
    if (proposed.place != Identity::kNoPlace) place_proposed_ = false;
    if (agreed.place != Identity::kNoPlace) next_place_ = agreed.place + 1;
    if (agreed.id >= Communicator::kIdLimit) return Status::fatal;
    // The next proposal has a chance to be the largest.
    const std::uint64_t number = (agreed.id - Communicator::kFirstFreeId) / Communicator::kIdsPerCommunicator;
    const auto size = static_cast<std::uint64_t>(world_->size());
    if (number >= next_number_) next_number_ += (number - next_number_ + size) / size * size;
    return Status::ok;
}

}  // namespace rb2::pt2pt
