#include "launcher/job/ranks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>

namespace rb2::launcher {
namespace {

/// proc(5): "SigIgn:" and "SigCgt:" are hexadecimal masks with signal n at bit n - 1.
bool handles(pid_t pid, int signal) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    std::uint64_t handled = 0;
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("SigIgn:") || line.starts_with("SigCgt:")) {
            handled |= std::stoull(line.substr(7), nullptr, 16);
        }
    }
    return ((handled >> (signal - 1)) & 1U) != 0;
}

}  // namespace

void Ranks::started(int rank, pid_t pid) {
    at(rank).pid = pid;
    at(rank).alive = true;
}

std::optional<int> Ranks::ended(pid_t pid) {
    const auto found = std::find_if(ranks_.begin(), ranks_.end(),
                                    [pid](const RankProcess& rank) { return rank.alive && rank.pid == pid; });
    if (found == ranks_.end()) {
        return std::nullopt;
    }
    found->alive = false;
    return static_cast<int>(found - ranks_.begin());
}

int Ranks::alive() const {
    return static_cast<int>(
        std::count_if(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.alive; }));
}

std::vector<int> Ranks::alive_ranks() const {
    std::vector<int> alive;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].alive) {
            alive.push_back(static_cast<int>(rank));
        }
    }
    return alive;
}

bool Ranks::any_connected() const {
    return std::any_of(ranks_.begin(), ranks_.end(),
                       [](const RankProcess& rank) { return rank.pmix == PmixState::connected; });
}

std::optional<int> Ranks::left_quietly() const {
    const auto found =
        std::find_if(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.left_quietly; });
    return found != ranks_.end() ? std::optional(static_cast<int>(found - ranks_.begin())) : std::nullopt;
}

void Ranks::connection_lost(int rank) {
    if (at(rank).lost_order == 0) {
        at(rank).lost_order = ++lost_;
    }
}

int Ranks::lost_order(int rank) const {
    const RankProcess& process = ranks_[static_cast<std::size_t>(rank)];
    const int all = static_cast<int>(ranks_.size());
    switch (process.pmix) {
        case PmixState::none:
            return 0;
        case PmixState::connected:
            return process.lost_order != 0 ? process.lost_order : all + 1;
        case PmixState::finalized:
            return all +
                   2;  // it took its leave: a bystander that gave up after a failed fence does that, too
    }
    return 0;
}

void Ranks::signal_groups(int signal) const {
    for (const RankProcess& rank : ranks_) {
        if (rank.alive) {
            ::kill(-rank.pid, signal);
        }
    }
}

void Ranks::signal_handlers(int signal) const {
    for (const RankProcess& rank : ranks_) {
        if (rank.alive && handles(rank.pid, signal)) {
            ::kill(-rank.pid, signal);
        }
    }
}

bool Ranks::all_handle(int signal) const {
    return std::all_of(ranks_.begin(), ranks_.end(), [signal](const RankProcess& rank) {
        return !rank.alive || handles(rank.pid, signal);
    });
}

}  // namespace rb2::launcher
