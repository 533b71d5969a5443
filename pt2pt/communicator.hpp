#pragma once
// A communicator: a group of ranks and two contexts of its own, one for point-to-point and one for
// collectives. Of an intercommunicator the group is the remote one, whose ranks messages are exchanged with;
// the own one is that of local().
//
// The engine speaks in world ranks; a communicator translates both ways, and nothing else of it is on the way
// of a message. Used by one thread at a time, like the engine.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "pt2pt/group.hpp"
#include "pt2pt/world.hpp"

namespace rb2::pt2pt {

/// Largest tag a user may send with (MPI's attribute TAG_UB).
constexpr int kTagUpperBound = 0x7fffffff;

/// What the ranks agree on when they make a communicator.
struct Identity {
    static constexpr std::uint32_t kNoPlace = ~0U;

    std::uint32_t id = 0;
    std::uint32_t place = kNoPlace;  ///< where its ranks meet in shared memory, if they have some
};

/// The larger one of each.
[[nodiscard]] constexpr Identity larger(const Identity& a, const Identity& b) noexcept {
    return {std::max(a.id, b.id), std::max(a.place, b.place)};
}

class Communicator {
  public:
    static constexpr std::uint32_t kWorldId = 0;
    static constexpr std::uint32_t kSelfId = 1;
    /// Of a rank's messages to itself by which it completes its generalized requests.
    static constexpr std::uint32_t kSignalsId = 2;
    static constexpr std::uint32_t kFirstFreeId = 3;
    /// An intercommunicator has one more behind its own: for its own group among themselves.
    static constexpr std::uint32_t kIdsPerCommunicator = 2;
    static constexpr std::uint32_t kLocalIdOffset = 1;
    /// Ids are below. With this bit: the messages by which ranks make a communicator, no others taking part.
    static constexpr std::uint32_t kIdLimit = (1U << 30) - kIdsPerCommunicator;
    static constexpr std::uint32_t kMeetingBit = 1U << 30;

    /// `rank` is the own rank in `group`. The engine must outlive the communicator.
    Communicator(Engine& engine, Identity identity, int rank, Group group)
        : engine_(&engine),
          id_(identity.id),
          place_(identity.place),
          rank_(rank),
          group_(std::move(group)),
          calls_{identity.id} {
        engine.count_collectives(calls_);
    }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() { engine_->forget_collectives(calls_); }

    /// An intercommunicator between the ranks of `local` and `remote`, which have none in common. The id is
    /// the same on both sides.
    Communicator(Engine& engine, std::uint32_t id, Group remote, std::unique_ptr<Communicator> local)
        : engine_(&engine),
          id_(id),
          rank_(local->rank()),
          group_(std::move(remote)),
          calls_{id},
          local_(std::move(local)) {
        engine.count_collectives(calls_);
    }

    [[nodiscard]] Engine& engine() const noexcept { return *engine_; }
    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    /// No other communicator of any of its ranks has the same. Identity::kNoPlace: it has none.
    [[nodiscard]] std::uint32_t place() const noexcept { return place_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return group_.size(); }
    [[nodiscard]] const Group& group() const noexcept { return group_; }

    [[nodiscard]] bool is_inter() const noexcept { return local_ != nullptr; }
    /// Of an intercommunicator: the ranks of the own group among themselves.
    [[nodiscard]] Communicator& local() const noexcept { return *local_; }
    /// The communicator whose group the own rank is in: local() of an intercommunicator, else this one.
    [[nodiscard]] const Communicator& own_side() const noexcept { return is_inter() ? *local_ : *this; }

    /// Context of the user's messages, and of the collectives' messages.
    [[nodiscard]] std::uint32_t context() const noexcept { return 2 * id_; }
    [[nodiscard]] std::uint32_t collective_context() const noexcept { return 2 * id_ + 1; }

    [[nodiscard]] bool has_rank(int rank) const noexcept {
        return static_cast<unsigned>(rank) < static_cast<unsigned>(size());
    }
    /// World rank of `rank`, which must be here.
    [[nodiscard]] int world_rank(int rank) const noexcept { return group_.world_rank(rank); }
    /// The same for the source of a receive, which may be kAnySource.
    [[nodiscard]] int world_source(int source) const noexcept {
        return source < 0 ? source : group_.world_rank(source);
    }
    [[nodiscard]] int local_rank(int world_rank) const noexcept { return group_.local_rank(world_rank); }

    /// What the engine reported, with the source as a rank here.
    [[nodiscard]] MessageInfo translate(MessageInfo info) const noexcept {
        info.source = local_rank(info.source);
        return info;
    }

    /// Tag for the messages of one collective call. All ranks call collectives in the same order, so they
    /// draw the same tag, and messages of consecutive collectives cannot be taken for each other's.
    [[nodiscard]] int next_collective_tag() noexcept {
        collective_count_ = (collective_count_ + 1) & kTagUpperBound;
        calls_.count(collective_count_);
        return collective_count_;
    }
    /// The function, a literal, whose call draws the next tags; for the hang report.
    void calls(const char* function) noexcept { calls_.function = function; }
    /// Collectives draw tags that follow `tag`. Before the first one.
    void start_collective_tags(int tag) noexcept { collective_count_ = tag; }

  private:
    Engine* engine_;
    std::uint32_t id_;
    std::uint32_t place_ = Identity::kNoPlace;
    int rank_;
    Group group_;
    CollectiveCalls calls_;
    int collective_count_ = 0;
    std::unique_ptr<Communicator> local_;  // null: no intercommunicator
};

}  // namespace rb2::pt2pt
