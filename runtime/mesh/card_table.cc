#include "runtime/mesh/card_table.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "runtime/mesh/attach_of.hpp"
#include "runtime/wait/futex.hpp"

namespace rb2::mesh {
namespace {

/// Between two looks whether the leader still lives.
constexpr std::chrono::seconds kPatience{1};

std::string table_name(const bootstrap::Card& leader) { return bootstrap::segment_name(leader) + "-cards"; }

[[noreturn]] void throw_no_table(const bootstrap::Card& leader, const char* why) {
    throw StartupError(fmt::format("rank {} on {} read the job's cards for its node, but {}", leader.rank,
                                   bootstrap::host_name(leader), why));
}

}  // namespace

CardTable::CardTable(bootstrap::Session& session) : session_(&session), ranks_(session.local_ranks()) {
    if (ranks_.front() != 0) ranks_.insert(ranks_.begin(), 0);
}

void CardTable::exchange(const bootstrap::Card& mine) {
    using bootstrap::Scope;
    const std::uint32_t leader = session_->local_ranks().front();
    const bool alone_here = session_->local_ranks().size() == 1;
    const bool leads = leader == mine.rank && !alone_here;
    if (leads) offer(table_name(mine));
    session_->publish(mine, session_->several_nodes() && mine.rank != 0 ? Scope::node : Scope::job);
    session_->fence();
    std::optional<bootstrap::Card> shared;  // one node to the launcher may be several containers
    if (!leads && !alone_here) shared = session_->card(leader);
    if (leads)
        fill();
    else if (shared && bootstrap::same_shared_memory(shared->host, mine.host))
        share(*shared, mine);
    else
        fetch_all();
}

void CardTable::offer(const std::string& name) {
    shared_ = memory::Segment::create(name, shared_bytes());
    new (shared_.data()) Head{.state = State::filling, .cards = static_cast<std::uint32_t>(ranks_.size())};
}

void CardTable::fill() {
    State state = State::failed;
    const auto publish = [&] {
        head().state.store(state, std::memory_order_release);
        wait::shared_futex_wake(head().state);
    };
    try {
        for (std::size_t place = 0; place < ranks_.size(); ++place)
            new (places() + place) bootstrap::Card(session_->card(ranks_[place]));
    } catch (...) {
        publish();
        throw;
    }
    state = State::filled;
    publish();
    cards_ = {places(), ranks_.size()};
}

void CardTable::share(const bootstrap::Card& leader, const bootstrap::Card& mine) {
    shared_ = attach_of(leader, [&] { return memory::Segment::attach(table_name(leader), shared_bytes()); });
    const bool visible = bootstrap::same_process_space(leader.host, mine.host);
    for (;;) {
        const auto state = head().state.load(std::memory_order_acquire);
        if (state == State::filled) break;
        if (state == State::failed) throw_no_table(leader, "it failed; its own message says why");
        if (visible && ::kill(leader.pid, 0) != 0) throw_no_table(leader, "it has ended");
        wait::shared_futex_wait(head().state, state, kPatience);
    }
    cards_ = {places(), ranks_.size()};
}

void CardTable::fetch_all() {
    for (const std::uint32_t rank : ranks_) own_.push_back(session_->card(rank));
    cards_ = own_;
}

const bootstrap::Card* CardTable::find(std::uint32_t rank) const noexcept {
    const auto cards = local();
    const auto here = std::ranges::lower_bound(cards, rank, {}, &bootstrap::Card::rank);
    if (here != cards.end() && here->rank == rank) return &*here;
    const auto met = far_.find(rank);
    return met == far_.end() ? nullptr : &met->second;
}

const bootstrap::Card& CardTable::meet(std::uint32_t rank) {
    if (const bootstrap::Card* known = find(rank)) return *known;
    return far_.emplace(rank, session_->far_card(rank)).first->second;
}

const char* CardTable::host_name(std::uint32_t rank) const {
    if (const bootstrap::Card* known = find(rank)) return known->host.host_name.data();
    std::string& name = launcher_names_[rank];
    if (name.empty()) name = session_->host_name(rank);
    if (name.empty()) name = "another node";
    return name.c_str();
}

}  // namespace rb2::mesh
