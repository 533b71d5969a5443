#pragma once
// The cards of a job's ranks, as far as this rank needs them: at start those of its own node of the launcher
// and rank 0's, later those of ranks of other nodes that it calls.
//
// On a node one rank fetches the cards and the others read them from its memory: a fetch costs a hundred
// times what a look costs, and a card takes its space once per node. Cards of other nodes come each by a
// fetch of its own (direct modex): no rank needs many of them.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"

namespace rb2::mesh {

/// Owns the cards or shares them. Stays where it is: others keep references to it and to its cards.
class CardTable {
  public:
    /// `session` outlives the table.
    explicit CardTable(bootstrap::Session& session);
    CardTable(const CardTable&) = delete;
    CardTable& operator=(const CardTable&) = delete;
    ~CardTable() = default;

    /// Collective over the job, once: publishes `mine` for the ranks of its node, rank 0's for all, and reads
    /// theirs. Contains one fence. Throws StartupError when a rank died meanwhile or a card does not fit.
    void exchange(const bootstrap::Card& mine);

    /// Those of the launcher's node, in rank order, this rank's among them.
    [[nodiscard]] std::span<const bootstrap::Card> local() const noexcept {
        return cards_.last(session_->local_ranks().size());
    }
    [[nodiscard]] const bootstrap::Card& own() const noexcept { return local()[session_->local_rank()]; }
    /// Rank 0's: what it says of the job holds for all.
    [[nodiscard]] const bootstrap::Card& first() const noexcept { return cards_.front(); }

    /// That of a rank of this node, or of one that was met; else null.
    [[nodiscard]] const bootstrap::Card* find(std::uint32_t rank) const noexcept;
    /// The same; fetches that of a rank that was not met. Throws StartupError.
    const bootstrap::Card& meet(std::uint32_t rank);
    /// For people: from its card, if that is here, else the launcher's name for it.
    [[nodiscard]] const char* host_name(std::uint32_t rank) const;

    /// After a later fence: nobody needs the name of the shared table any more.
    void settled() noexcept { shared_.unlink(); }

  private:
    /// In front of the cards in the shared table.
    struct Head {
        std::atomic<std::uint32_t> state;  ///< State; the others sleep on it
        std::uint32_t cards;
        static constexpr std::size_t kBytes = 128;
    };
    enum State : std::uint32_t { filling = 0, filled = 1, failed = 2 };

    void offer(const std::string& name);
    void fill();
    void share(const bootstrap::Card& leader, const bootstrap::Card& mine);
    void fetch_all();
    [[nodiscard]] std::size_t shared_bytes() const noexcept {
        return Head::kBytes + ranks_.size() * sizeof(bootstrap::Card);
    }
    [[nodiscard]] Head& head() const noexcept { return *reinterpret_cast<Head*>(shared_.data()); }
    [[nodiscard]] bootstrap::Card* places() const noexcept {
        return reinterpret_cast<bootstrap::Card*>(shared_.data() + Head::kBytes);
    }

    bootstrap::Session* session_;
    std::vector<std::uint32_t>
        ranks_;  // whose cards come at start, ascending: rank 0, and those of this node
    memory::Segment shared_;
    std::vector<bootstrap::Card> own_;
    std::span<const bootstrap::Card> cards_;  // of `ranks_`
    std::map<std::uint32_t, bootstrap::Card> far_;
    mutable std::map<std::uint32_t, std::string> launcher_names_;  // of hosts whose names somebody wanted
};

}  // namespace rb2::mesh
