#pragma once
// One process's membership in a job: who am I, who are the others, exchange of cards, barrier, end.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/card.hpp"
#include "runtime/status.hpp"

namespace rb2::bootstrap {

class Member;  // member.hpp

/// A peer ended without finalizing.
struct PeerLoss {
    std::uint32_t rank = 0;
    std::string reason;  ///< PMIx's words for the event
};
/// What one rank has asked of the launcher.
struct Traffic {
    std::uint32_t fences = 0;
    std::uint32_t fetches = 0;
    std::uint64_t fetched_bytes = 0;
    std::uint64_t published_bytes = 0;
    std::chrono::nanoseconds fetching{};  ///< time that the fetches took
};
/// What one rank published.
using Bytes = std::vector<std::byte>;
/// Who can fetch it: the ranks of the launcher's node, or all of the job.
enum class Scope { node, job };
struct Publication {
    const char* key;
    Bytes bytes;
};
using PeerLossHandler = std::function<void(const PeerLoss&)>;

/// A plain PMIx client, so it runs under rb2run, Open MPI's mpirun, prterun and Slurm's srun --mpi=pmix
/// alike. Started by no launcher it is a world of one that never talks to PMIx. Move-only; the destructor
/// finalizes. All functions are called from one thread at a time; only the peer-loss handler runs on another
/// thread.
class Session {
  public:
    /// Joins the job. Throws StartupError when a launcher's variables are set but the launcher cannot be
    /// reached through PMIx: never a silent world of one.
    [[nodiscard]] static Session open();

    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    [[nodiscard]] std::uint32_t rank() const noexcept;
    [[nodiscard]] std::uint32_t size() const noexcept;
    /// World ranks on this node according to the launcher, ascending, this rank included. Whether they really
    /// share memory is for the cards to say (same_shared_memory).
    [[nodiscard]] const std::vector<std::uint32_t>& local_ranks() const noexcept;
    /// Index of rank() in local_ranks().
    [[nodiscard]] std::uint32_t local_rank() const noexcept;
    /// Whether the launcher has ranks of the job on other nodes, too.
    [[nodiscard]] bool several_nodes() const noexcept { return local_ranks().size() < size(); }
    /// Where the launcher has put a rank, as it names it. Asks nobody else; empty if it does not tell.
    [[nodiscard]] std::string host_name(std::uint32_t rank) const;
    /// Index of this rank's program in a job of several programs; 0 otherwise.
    [[nodiscard]] std::uint32_t app_number() const noexcept;
    /// 32 hexadecimal digits for names of this rank's segments. From the launcher (then equal on all ranks,
    /// and the launcher can sweep by it) or drawn at random by each rank; peers take names from cards, so it
    /// need not be equal.
    [[nodiscard]] const std::string& job_nonce() const noexcept;
    /// True when a launcher was found; false for a world of one on its own.
    [[nodiscard]] bool launched() const noexcept;

    /// Once: others can fetch `mine` after the next fence.
    void publish(const Card& mine, Scope scope = Scope::job);
    /// The card that a rank, also the own one, published before the last fence, checked. Throws StartupError.
    [[nodiscard]] Card card(std::uint32_t rank);
    /// Once, behind the last fence of the start, so that no fence carries it to those that never ask for it:
    /// the card for ranks of other nodes, and with it `further`.
    void publish_far(const Card& mine, std::vector<Publication> further);
    /// That card of a rank, checked; waits until it is there. Throws StartupError.
    [[nodiscard]] Card far_card(std::uint32_t rank);
    /// Collective over the job, once: publish(), fence(), and all cards in rank order.
    [[nodiscard]] std::vector<Card> exchange(const Card& mine);
    /// The same for what has no fixed form: all ranks' bytes in rank order. Collective, once for each `key`.
    [[nodiscard]] std::vector<Bytes> exchange(const char* key, std::span<const std::byte> mine);

    /// What has no fixed form, and is not collected by a fence if published after the last one: each rank
    /// fetches it only from those that it wants it of. Once for each key; all of one call become known
    /// together.
    void publish(std::span<const Publication> publications, Scope scope = Scope::job);
    /// What the rank has published; waits until it has, though not for ever. Throws StartupError.
    [[nodiscard]] Bytes fetch(const char* key, std::uint32_t rank);

    /// Collective barrier over the job. Throws StartupError when a rank died meanwhile.
    void fence();

    /// Collective barrier over the job, once and last: begins it. `done` is called on another thread when all
    /// ranks have come, or when the launcher knows that this cannot happen; it must not block, and must stay
    /// callable until fence_done() or finalize().
    void begin_fence(std::function<void()> done);
    [[nodiscard]] bool fence_done() const noexcept;

    [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

    /// `handler` is called on PMIx's progress thread, once per lost peer; it must not block and must not call
    /// this session. At most one handler. It stays alive until finalize(). rb2run sends such news; under Open
    /// MPI's mpirun and Slurm none may come: they end the job instead (Slurm: with --kill-on-bad-exit=1).
    void on_peer_loss(PeerLossHandler handler);

    /// Leaves the job. Idempotent, never throws; also done by the destructor.
    void finalize() noexcept;

    /// Ends the whole job with exit code `code` (0 counts as 1) and shows `text`. `patience`: how long a
    /// launcher other than rb2run may take to end the job by itself, before it is asked to.
    [[noreturn]] void abort(int code, std::string_view text,
                            std::chrono::milliseconds patience = {}) noexcept;

    /// Of any kind of membership; open() finds the right one.
    explicit Session(std::unique_ptr<Member> member) noexcept;

  private:
    [[nodiscard]] Card checked_card(const char* key, std::uint32_t rank);

    std::unique_ptr<Member> member_;
    Traffic traffic_;
};

}  // namespace rb2::bootstrap
