#pragma once
// The cards of all ranks of a job. On a node one rank fetches them and the others read them from its memory:
// a fetch costs a hundred times what a look costs, and a card takes its space once per node.

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"

namespace rb2::mesh {

/// Owns the cards or shares them. Move-only.
class CardTable {
  public:
    CardTable() = default;

    /// Collective over the job, once: publishes `mine`, returns everybody's. Contains one fence. Throws
    /// StartupError when a rank died meanwhile or a card does not fit.
    [[nodiscard]] static CardTable exchange(bootstrap::Session& session, const bootstrap::Card& mine);

    /// In rank order.
    [[nodiscard]] std::span<const bootstrap::Card> cards() const noexcept { return cards_; }

    /// After a later fence: nobody needs the name of the shared table any more.
    void settled() noexcept { shared_.unlink(); }

  private:
    /// In front of the cards in the shared table.
    struct Head {
        std::atomic<std::uint32_t> state;  ///< State; the others sleep on it
        std::uint32_t ranks;
        static constexpr std::size_t kBytes = 128;
    };
    enum State : std::uint32_t { filling = 0, filled = 1, failed = 2 };

    void offer(const std::string& name, std::uint32_t ranks);
    void fill(bootstrap::Session& session);
    void share(const bootstrap::Card& leader, const bootstrap::Card& mine, std::uint32_t ranks);
    void fetch_all(bootstrap::Session& session);
    [[nodiscard]] Head& head() const noexcept { return *reinterpret_cast<Head*>(shared_.data()); }
    [[nodiscard]] bootstrap::Card* places() const noexcept {
        return reinterpret_cast<bootstrap::Card*>(shared_.data() + Head::kBytes);
    }

    memory::Segment shared_;
    std::vector<bootstrap::Card> own_;
    std::span<const bootstrap::Card> cards_;
};

}  // namespace rb2::mesh
