#pragma once
// A launcher in memory: ranks of one test process, on as many nodes as the test wants. It keeps what ranks
// publish, gives it to those that may have it, and counts what they ask for.

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/bootstrap/member.hpp"
#include "runtime/bootstrap/nonce.hpp"
#include "runtime/bootstrap/session.hpp"

namespace rb2::mesh {

class FakeJob {
  public:
    /// `parties`: ranks that will really run; each fence waits for so many.
    FakeJob(std::uint32_t ranks, std::uint32_t ranks_per_node, std::uint32_t parties)
        : ranks_(ranks), per_node_(ranks_per_node), parties_(parties) {}

    [[nodiscard]] bootstrap::Session join(std::uint32_t rank) {
        return bootstrap::Session(std::make_unique<Member>(*this, rank));
    }

    /// In the place of a rank that does not run: its card, for its node or for all others.
    void publish(const char* key, const bootstrap::Card& card) {
        const auto bytes = std::as_bytes(std::span(&card, 1));
        put(card.rank, key, {bytes.begin(), bytes.end()}, bootstrap::Scope::job);
    }
    [[nodiscard]] bootstrap::Card card_of(std::uint32_t rank) const {
        bootstrap::Card card = bootstrap::make_card(rank);
        card.node = rank / per_node_ * per_node_;
        card.fabrics = 0b101;  // shm, tcp
        std::strncpy(card.host.host_name.data(), host(rank).c_str(), card.host.host_name.size() - 1);
        return card;
    }

    /// How often ranks have asked for what `of` published.
    [[nodiscard]] int fetches(std::uint32_t of) {
        const std::lock_guard lock(mutex_);
        return fetches_[of];
    }
    /// Bytes that a fence carried to all nodes.
    [[nodiscard]] std::size_t collected() {
        const std::lock_guard lock(mutex_);
        return collected_;
    }
    [[nodiscard]] static std::string host(std::uint32_t rank) { return fmt::format("host{}", rank); }

  private:
    struct Entry {
        bootstrap::Bytes bytes;
        bootstrap::Scope scope;
    };

    class Member final : public bootstrap::Member {
      public:
        Member(FakeJob& job, std::uint32_t rank) : job_(job) {
            facts_.rank = rank;
            facts_.size = job.ranks_;
            const std::uint32_t first = rank / job.per_node_ * job.per_node_;
            facts_.local_ranks.clear();
            for (std::uint32_t i = first; i < std::min(first + job.per_node_, job.ranks_); ++i)
                facts_.local_ranks.push_back(i);
            facts_.local_rank = rank - first;
            facts_.nonce = bootstrap::random_nonce();
            facts_.launched = true;
        }
        void put(const char* key, std::span<const std::byte> mine, bootstrap::Scope scope) override {
            job_.put(facts_.rank, key, {mine.begin(), mine.end()}, scope);
        }
        void commit() override {}
        bootstrap::Bytes fetch(const char* key, std::uint32_t rank) override {
            return job_.get(facts_.rank, key, rank);
        }
        void fence() override { job_.fence(); }
        void begin_fence(std::function<void()> /*done*/) override {}
        bool fence_done() const noexcept override { return true; }
        void on_peer_loss(bootstrap::PeerLossHandler /*handler*/) override {}
        void finalize() noexcept override {}
        void request_abort(int /*code*/, const std::string& /*text*/) noexcept override {}
        std::string host_name(std::uint32_t rank) const override { return host(rank); }

      private:
        FakeJob& job_;
    };

    void put(std::uint32_t rank, const std::string& key, bootstrap::Bytes bytes, bootstrap::Scope scope) {
        const std::lock_guard lock(mutex_);
        if (scope == bootstrap::Scope::job) uncollected_ += bytes.size();
        board_[{rank, key}] = {std::move(bytes), scope};
    }

    /// What is not there, or not for this rank, never comes.
    bootstrap::Bytes get(std::uint32_t asking, const std::string& key, std::uint32_t rank) {
        const std::lock_guard lock(mutex_);
        ++fetches_[rank];
        const auto found = board_.find({rank, key});
        const bool one_node = asking / per_node_ == rank / per_node_;
        if (found == board_.end() || (found->second.scope == bootstrap::Scope::node && !one_node))
            throw StartupError(fmt::format("reading the card of rank {} failed: it never came", rank));
        return found->second.bytes;
    }

    void fence() {
        std::unique_lock lock(mutex_);
        const int mine = fences_;
        if (++arrived_ == parties_) {
            arrived_ = 0;
            ++fences_;
            collected_ += std::exchange(uncollected_, 0);
            all_here_.notify_all();
        } else {
            all_here_.wait(lock, [&] { return fences_ != mine; });
        }
    }

    std::uint32_t ranks_;
    std::uint32_t per_node_;
    std::uint32_t parties_;
    std::mutex mutex_;
    std::condition_variable all_here_;
    std::map<std::pair<std::uint32_t, std::string>, Entry> board_;
    std::map<std::uint32_t, int> fetches_;
    std::size_t uncollected_ = 0;
    std::size_t collected_ = 0;
    std::uint32_t arrived_ = 0;
    int fences_ = 0;
};

}  // namespace rb2::mesh
