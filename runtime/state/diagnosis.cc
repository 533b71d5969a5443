#include "runtime/state/diagnosis.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rb2::state {
namespace {

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

/// The ranks whose waits nobody outside of them can end.
std::vector<char> hopeless(const std::vector<WaitsFor>& ranks) {
    std::vector<char> stuck(ranks.size());
    std::transform(ranks.begin(), ranks.end(), stuck.begin(),
                   [](const WaitsFor& rank) { return rank.waits && !rank.any_of.empty(); });
    const auto is_stuck = [&stuck](int rank) {
        return rank >= 0 && index(rank) < stuck.size() && stuck[index(rank)] != 0;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (stuck[rank] == 0 ||
                std::all_of(ranks[rank].any_of.begin(), ranks[rank].any_of.end(), is_stuck))
                continue;
            stuck[rank] = 0;
            changed = true;
        }
    }
    return stuck;
}

bool is_collective(const Wait& wait) { return wait.context % 2 == 1; }

/// Who can end `wait` of `rank` in a job of `ranks` ranks.
std::vector<int> enders(const Wait& wait, int rank, int ranks) {
    if (wait.kind == WaitKind::nothing) return {};
    if (wait.kind != WaitKind::any_of && wait.peer != kAnyRank) return {wait.peer};
    std::vector<int> others;
    for (int other = 0; other < ranks; ++other)
        if (other != rank) others.push_back(other);
    return others;
}

/// The wait of any of its threads may end first, and then it goes on.
WaitsFor waits_of(const RankView& view, int rank, int ranks) {
    WaitsFor found{true, {}};
    const Standing& standing = view.standing;
    if (standing.wait_count > Standing::kWaits) return found;
    for (std::uint32_t i = 0; i < standing.wait_count; ++i) {
        const std::vector<int> more = enders(standing.waits[i], rank, ranks);
        if (more.empty()) return {true, {}};
        found.any_of.insert(found.any_of.end(), more.begin(), more.end());
    }
    std::sort(found.any_of.begin(), found.any_of.end());
    found.any_of.erase(std::unique(found.any_of.begin(), found.any_of.end()), found.any_of.end());
    return found;
}

const RankView::Calls* calls_on(const RankView& view, std::uint32_t communicator) {
    const auto found =
        std::find_if(view.collectives.begin(), view.collectives.end(),
                     [communicator](const auto& entry) { return entry.communicator == communicator; });
    return found != view.collectives.end() ? &*found : nullptr;
}

/// A rank that takes part and has not come so far. Of the world's ranks that is one without a page, too.
bool is_missing(const RankView& view, std::uint32_t communicator, std::uint32_t call) {
    constexpr std::uint32_t world = 0;
    if (!view.has_page || view.phase == Phase::starting) return communicator == world;
    const RankView::Calls* const calls = calls_on(view, communicator);
    return calls != nullptr && calls->calls < call;
}

using CallKey = std::pair<std::uint32_t, std::uint32_t>;  // communicator, number of the call

struct Entered {
    std::vector<int> ranks;
    std::vector<MixedCollective::Caller> functions;  // different ones
};

void enter(Entered& entered, int rank, const std::string& function) {
    if (entered.ranks.empty() || entered.ranks.back() != rank) entered.ranks.push_back(rank);
    const bool known = std::any_of(entered.functions.begin(), entered.functions.end(),
                                   [&](const auto& caller) { return caller.function == function; });
    if (!function.empty() && !known) entered.functions.push_back({rank, function});
}

std::map<CallKey, Entered> collectives_waited_in(const std::vector<RankView>& now,
                                                 const std::vector<Doing>& doing) {
    std::map<CallKey, Entered> calls;
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
        if (doing[rank] != Doing::waits) continue;
        const Standing& standing = now[rank].standing;
        for (std::uint32_t i = 0; i < std::min(standing.wait_count, Standing::kWaits); ++i) {
            const Wait& wait = standing.waits[i];
            if (is_collective(wait) && wait.tag >= 0)
                enter(calls[{wait.context / 2, static_cast<std::uint32_t>(wait.tag)}], static_cast<int>(rank),
                      wait.collective);
        }
    }
    return calls;
}

void look_at_collectives(const std::vector<RankView>& now, Diagnosis& diagnosis) {
    for (const auto& [key, entered] : collectives_waited_in(now, diagnosis.doing)) {
        const auto [communicator, call] = key;
        const std::string function = entered.functions.empty() ? "" : entered.functions.front().function;
        MissingInCollective found{function, communicator, call, entered.ranks, {}};
        for (std::size_t rank = 0; rank < now.size(); ++rank)
            if (is_missing(now[rank], communicator, call)) found.missing.push_back(static_cast<int>(rank));
        if (!found.missing.empty()) diagnosis.missing.push_back(found);
        if (entered.functions.size() > 1) diagnosis.mixed.push_back({communicator, call, entered.functions});
    }
}

/// A wait for one rank only that neither waits nor has anything to do with the cycle.
void look_at_waited_for(const std::vector<WaitsFor>& waits, Diagnosis& diagnosis) {
    std::map<int, std::vector<int>> found;
    for (std::size_t rank = 0; rank < waits.size(); ++rank) {
        if (waits[rank].any_of.size() != 1) continue;
        const int other = waits[rank].any_of.front();
        if (other >= 0 && index(other) < waits.size() && !waits[index(other)].waits)
            found[other].push_back(static_cast<int>(rank));
    }
    for (auto& [rank, waiting] : found) diagnosis.waited_for.push_back({rank, std::move(waiting)});
}

}  // namespace

std::vector<int> find_cycle(const std::vector<WaitsFor>& ranks) {
    const std::vector<char> stuck = hopeless(ranks);
    const auto start = std::find(stuck.begin(), stuck.end(), 1);
    if (start == stuck.end()) return {};
    // Each of the stuck has a stuck one it waits for, so the way comes back to itself.
    std::vector<int> way;
    for (int rank = static_cast<int>(start - stuck.begin());; rank = ranks[index(rank)].any_of.front()) {
        const auto seen = std::find(way.begin(), way.end(), rank);
        if (seen == way.end()) {
            way.push_back(rank);
            continue;
        }
        way.erase(way.begin(), seen);
        std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
        return way;
    }
}

Doing doing(const RankView& before, const RankView& now) {
    if (!now.has_page) return now.exited ? Doing::ended : Doing::no_page;
    if (now.phase == Phase::ended) return Doing::ended;
    const char letter = now.process.letter;
    if (letter == 0 || letter == 'Z' || letter == 'X') return Doing::gone;
    if (letter == 'T' || letter == 't') return Doing::stopped;
    if (now.phase == Phase::starting) return Doing::starting;
    if (!now.answered) return now.phase == Phase::finalizing ? Doing::finalizing : Doing::silent;
    const bool still = before.answered && before.standing.fingerprint == now.standing.fingerprint &&
                       before.standing.since_ns == now.standing.since_ns;
    if (now.standing.wait_count == 0) return Doing::polls;
    return still ? Doing::waits : Doing::moves;
}

Diagnosis diagnose(const std::vector<RankView>& before, const std::vector<RankView>& now) {
    Diagnosis diagnosis;
    std::vector<WaitsFor> waits(now.size());
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
        diagnosis.doing.push_back(doing(before[rank], now[rank]));
        if (diagnosis.doing.back() == Doing::waits)
            waits[rank] = waits_of(now[rank], static_cast<int>(rank), static_cast<int>(now.size()));
    }
    diagnosis.cycle = find_cycle(waits);
    look_at_collectives(now, diagnosis);
    look_at_waited_for(waits, diagnosis);
    return diagnosis;
}

}  // namespace rb2::state
