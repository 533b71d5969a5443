#pragma once
// What the C and the C++ interface share: the world, its communicators, and who still uses it.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

    /// A new communicator, or null: this rank is in none, or a message could not be sent.
    struct Made {
        Status status = Status::ok;
        std::unique_ptr<Communicator> communicator;
    };
    // All are collective over the communicators they are given. What is made from an intercommunicator is
    // one, too, but for merge().

    /// The same ranks.
    [[nodiscard]] Made duplicate(Communicator& parent);
    /// Those that give the same `color`, ordered by `key`, then by rank in `parent`. A rank that gives no
    /// color takes part and gets nothing, nor does one whose color nobody in the remote group gives.
    [[nodiscard]] Made split(Communicator& parent, std::optional<int> color, int key);
    /// The ranks whose world ranks are `members`, in that order. Collective over those only; calls under way
    /// at the same time are told apart by `tag`. `parent` is no intercommunicator.
    [[nodiscard]] Made create_group(const Communicator& parent, std::vector<int> members, int tag);

    /// How the leaders of two groups reach each other: rank `peer` of `over`, with messages of `tag`.
    struct Bridge {
        const Communicator& over;
        int peer;
        int tag;
    };
    /// An intercommunicator of `local` and the remote leader's group. `bridge`: the leader's, whose rank in
    /// `local` is `leader`; not used elsewhere.
    [[nodiscard]] Made connect(Communicator& local, int leader, const Bridge* bridge);
    /// Both groups of an intercommunicator as one; the group that gives `high` comes second.
    [[nodiscard]] Made merge(Communicator& inter, bool high);

    /// A communicator of the ranks whose world ranks are `members`, in that order, made without a parent.
    /// Collective over those only; calls under way at the same time are told apart by `tag`.
    [[nodiscard]] Made create_from_group(std::vector<int> members, int tag);
    /// The same for an intercommunicator: `local` is the own group, `remote_leader` a world rank of the
    /// other.
    [[nodiscard]] Made create_from_groups(std::vector<int> local, int leader, int remote_leader, int tag);

    // How ids are agreed on: each rank proposes one that it has never proposed before and that no other rank
    // ever proposes; the largest is taken. So no two communicators have the same, whatever calls are under
    // way at the same time.
    // The same of places, which are few: each rank proposes the first that it has not used, and one proposal
    // at a time; to a communicator that it makes meanwhile it gives none.
    [[nodiscard]] Identity propose() noexcept;
    /// `agreed`: the largest of what all ranks have proposed. Status::fatal when the ids are used up.
    Status accept(const Identity& proposed, const Identity& agreed) noexcept;
    /// duplicate() with what the ranks have agreed on.
    [[nodiscard]] static std::unique_ptr<Communicator> duplicate_as(const Identity& identity,
                                                                    const Communicator& parent);

  private:
    explicit Job(World& world);
    /// With the first of `kIdsPerCommunicator` ids that no other communicator has. Collective.
    Status agree_on(Identity& identity, Communicator& parent);
    [[nodiscard]] Made split_inter(Communicator& parent, std::optional<int> color, int key);

    World* world_;
    int users_ = 0;
    std::uint64_t next_number_;     // of the own proposals, which are the own rank modulo the world's size
    std::uint32_t next_place_ = 1;  // place 0 is the world's
    bool place_proposed_ = false;
    Communicator world_communicator_;
    Communicator self_communicator_;
};

}  // namespace rb2::pt2pt
