#include "pt2pt/job.hpp"

#include <algorithm>
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

std::uint32_t Job::propose_id() noexcept {
    const std::uint64_t number = next_number_;
    next_number_ += static_cast<std::uint64_t>(world_->size());
    const std::uint64_t id = Communicator::kFirstFreeId + number * Communicator::kIdsPerCommunicator;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(id, Communicator::kIdLimit));
}

Status Job::accept_id(std::uint32_t id) noexcept {
    if (id >= Communicator::kIdLimit) return Status::fatal;
    // The next proposal has a chance to be the largest.
    const std::uint64_t number = (id - Communicator::kFirstFreeId) / Communicator::kIdsPerCommunicator;
    const auto size = static_cast<std::uint64_t>(world_->size());
    if (number >= next_number_) next_number_ += (number - next_number_ + size) / size * size;
    return Status::ok;
}

}  // namespace rb2::pt2pt
