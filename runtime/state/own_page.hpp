#pragma once
// The page of the own rank: made at start-up, written by the engine.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/memory/segment.hpp"
#include "runtime/state/names.hpp"
#include "runtime/state/page.hpp"

namespace rb2::state {

/// Of the page of a rank in a job that rb2run started: under the prefix of the job's segments, so that rb2run
/// sweeps it.
[[nodiscard]] std::string page_name(uid_t uid, std::string_view nonce, std::uint32_t rank);

/// Used by one thread at a time, like the engine. Move-only.
class OwnPage {
  public:
    /// In shared memory as `name`. If `keep`, it stays when this object goes: whoever started the job removes
    /// it. With an empty name, and where there is no room, in memory of this process: nobody else sees it
    /// then.
    OwnPage(const std::string& name, std::uint32_t rank, std::uint32_t size, bool keep = true);

    [[nodiscard]] Page& page() noexcept { return *page_; }
    /// By world rank.
    [[nodiscard]] Traffic* traffic() noexcept { return traffic_; }
    /// Says what reaches a peer.
    void reached_by(std::uint32_t rank, Fabric fabric) noexcept { fabrics_[rank] = fabric; }

    void reach(Phase phase) noexcept;

    /// Somebody wants to know where this rank stands.
    [[nodiscard]] bool asked() const noexcept {
        return page_->asked.load(std::memory_order_relaxed) != answered_;
    }
    /// Publishes `standing`; as an answer if `answers`.
    void stand(Standing& standing, bool answers) noexcept;
    /// Between two calls of these the rank sleeps in the wait it has published, again and again.
    void falls_asleep() noexcept;
    void wakes_up() noexcept;
    [[nodiscard]] bool asleep() const noexcept { return page_->asleep.load(std::memory_order_relaxed) != 0; }

    /// Where to count the collective calls on a communicator; null when there are too many communicators.
    [[nodiscard]] Collectives* count_collectives(std::uint32_t communicator) noexcept;

  private:
    memory::Segment segment_;               // maps nothing where the page is private
    std::unique_ptr<std::byte[]> private_;  // else this
    Page* page_ = nullptr;
    Traffic* traffic_ = nullptr;
    Fabric* fabrics_ = nullptr;
    std::uint32_t answered_ = 0;
};

}  // namespace rb2::state
