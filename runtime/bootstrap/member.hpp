#pragma once
// What stands behind a Session: a member of a PMIx job, or a process on its own. Private to this folder.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/environment.hpp"
#include "runtime/bootstrap/session.hpp"

namespace rb2::bootstrap {

/// Facts fixed when the job is joined; meanings as in Session.
struct Membership {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
    std::vector<std::uint32_t> local_ranks = {0};
    std::uint32_t local_rank = 0;
    std::uint32_t app_number = 0;
    std::string nonce;
    bool launched = false;
};

/// Meanings and errors of the functions as in Session; bytes in the place of cards.
class Member {
  public:
    Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual ~Member() = default;

    /// Known to others after commit().
    virtual void put(const char* key, std::span<const std::byte> mine, Scope scope) = 0;
    virtual void commit() = 0;
    virtual Bytes fetch(const char* key, std::uint32_t rank) = 0;
    virtual void fence() = 0;
    virtual void begin_fence(std::function<void()> done) = 0;
    [[nodiscard]] virtual bool fence_done() const noexcept = 0;
    virtual void on_peer_loss(PeerLossHandler handler) = 0;
    virtual void finalize() noexcept = 0;
    /// Asks the launcher to end the job. May return before it does, also when it could not ask.
    virtual void request_abort(int code, const std::string& text) noexcept = 0;

    [[nodiscard]] virtual std::string host_name(std::uint32_t rank) const = 0;

    [[nodiscard]] const Membership& facts() const noexcept { return facts_; }

  protected:
    Membership
        facts_;  // NOLINT(misc-non-private-member-variables-in-classes): filled in by the one that joins
};

/// A world of one that knows no launcher. Throws StartupError.
[[nodiscard]] std::unique_ptr<Member> stay_alone();

/// Joins the job that `trace` tells of. Throws StartupError.
[[nodiscard]] std::unique_ptr<Member> join_pmix_job(const LauncherTrace& trace);

}  // namespace rb2::bootstrap
