#pragma once
// Views of ranks made by hand.

#include <cstring>
#include <string>
#include <vector>

#include "runtime/state/job_pages.hpp"

namespace rb2::state::test {

inline Wait receive_from(int peer, int tag = 7) {
    Wait wait;
    wait.kind = WaitKind::receive;
    wait.peer = peer;
    wait.tag = tag;
    wait.bytes = 4;
    return wait;
}

inline Wait in_collective(const char* function, int peer, int call, std::uint32_t communicator = 0) {
    Wait wait = receive_from(peer, call);
    wait.context = 2 * communicator + 1;
    std::strncpy(wait.collective, function, Wait::kNameBytes - 1);
    return wait;
}

/// Runs, and gives no answer.
inline RankView silent() {
    RankView view;
    view.has_page = true;
    view.phase = Phase::running;
    view.pid = 4711;
    view.process = {'R', 0};
    view.taken_ns = 5'000'000'000;
    view.awake_ns = 1'000'000'000;
    return view;
}

inline RankView waiting(const Wait& wait) {
    RankView view = silent();
    view.process.letter = 'S';
    view.answered = view.asleep = true;
    view.standing.since_ns = 2'000'000'000;
    view.standing.wait_count = 1;
    view.standing.waits[0] = wait;
    return view;
}

inline RankView with_calls(RankView view, std::uint32_t communicator, std::uint32_t calls) {
    view.collectives.push_back({communicator, calls});
    return view;
}

}  // namespace rb2::state::test
