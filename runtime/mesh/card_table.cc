#include "runtime/mesh/card_table.hpp"

#include <fmt/format.h>
#include <signal.h>

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

CardTable CardTable::exchange(bootstrap::Session& session, const bootstrap::Card& mine) {
    CardTable table;
    const std::uint32_t leader = session.local_ranks().front();
    const bool alone_here = session.local_ranks().size() == 1;
    const bool leads = leader == session.rank() && !alone_here;
    if (leads) table.offer(table_name(mine), session.size());
    session.publish(mine);
    session.fence();
    std::optional<bootstrap::Card> shared;  // one node to the launcher may be several containers
    if (!leads && !alone_here) shared = session.card(leader);
    if (leads)
        table.fill(session);
    else if (shared && bootstrap::same_shared_memory(shared->host, mine.host))
        table.share(*shared, mine, session.size());
    else
        table.fetch_all(session);
    return table;
}

void CardTable::offer(const std::string& name, std::uint32_t ranks) {
    shared_ = memory::Segment::create(name, Head::kBytes + ranks * sizeof(bootstrap::Card));
    new (shared_.data()) Head{.state = State::filling, .ranks = ranks};
}

void CardTable::fill(bootstrap::Session& session) {
    State state = State::failed;
    const auto publish = [&] {
        head().state.store(state, std::memory_order_release);
        wait::shared_futex_wake(head().state);
    };
    try {
        for (std::uint32_t rank = 0; rank < head().ranks; ++rank)
            new (places() + rank) bootstrap::Card(session.card(rank));
    } catch (...) {
        publish();
        throw;
    }
    state = State::filled;
    publish();
    cards_ = {places(), head().ranks};
}

void CardTable::share(const bootstrap::Card& leader, const bootstrap::Card& mine, std::uint32_t ranks) {
    shared_ = attach_of(leader, [&] {
        return memory::Segment::attach(table_name(leader), Head::kBytes + ranks * sizeof(bootstrap::Card));
    });
    const bool visible = bootstrap::same_process_space(leader.host, mine.host);
    for (;;) {
        const auto state = head().state.load(std::memory_order_acquire);
        if (state == State::filled) break;
        if (state == State::failed) throw_no_table(leader, "it failed; its own message says why");
        if (visible && ::kill(leader.pid, 0) != 0) throw_no_table(leader, "it has ended");
        wait::shared_futex_wait(head().state, state, kPatience);
    }
    cards_ = {places(), ranks};
}

void CardTable::fetch_all(bootstrap::Session& session) {
    for (std::uint32_t rank = 0; rank < session.size(); ++rank) own_.push_back(session.card(rank));
    cards_ = own_;
}

}  // namespace rb2::mesh
