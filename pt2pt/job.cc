#include "pt2pt/job.hpp"

#include <vector>

namespace rb2::pt2pt {
namespace {

constinit std::unique_ptr<Job> instance;

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

void Job::take_ids(std::uint32_t id) noexcept { next_id_ = id + Communicator::kIdsPerCommunicator; }

}  // namespace rb2::pt2pt
