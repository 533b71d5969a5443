#pragma once
// What the C and the C++ interface share: the world, its communicators, and who still uses it.

#include <cstdint>
#include <memory>
#include <optional>

#include "pt2pt/communicator.hpp"
#include "pt2pt/world.hpp"

namespace rb2::pt2pt {

/// One per process. Each interface joins once and leaves once, so that a program may use both over one
/// engine; the first to join starts the world, the last to leave ends it.
class Job {
  public:
    /// Throws StartupError when the world cannot be started.
    static Job& join();
    /// The running job, or null before the first join() and after the last leave().
    static Job* current() noexcept;
    /// Takes back one join(). The last one is collective and the job is gone afterwards.
    static void leave();

    [[nodiscard]] World& world() const noexcept { return *world_; }
    [[nodiscard]] Communicator& world_communicator() noexcept { return world_communicator_; }
    [[nodiscard]] Communicator& self_communicator() noexcept { return self_communicator_; }

    /// New communicator with `parent`'s ranks. Collective over `parent`. Null when a message could not be
    /// sent.
    [[nodiscard]] std::unique_ptr<Communicator> duplicate(Communicator& parent);
    /// New communicator of those that give the same `color`, ordered by `key`, then by rank in `parent`.
    /// Collective over `parent`. A rank that gives no color takes part and gets nothing: `communicator` is
    /// null.
    struct Split {
        Status status = Status::ok;
        std::unique_ptr<Communicator> communicator;
    };
    [[nodiscard]] Split split(Communicator& parent, std::optional<int> color, int key);

  private:
    explicit Job(World& world);
    /// An id that is free on every rank of `parent`. Collective.
    Status agree_on_id(Communicator& parent, std::uint32_t& id);

    World* world_;
    int users_ = 0;
    std::uint32_t next_id_ = Communicator::kFirstFreeId;
    Communicator world_communicator_;
    Communicator self_communicator_;
};

}  // namespace rb2::pt2pt
