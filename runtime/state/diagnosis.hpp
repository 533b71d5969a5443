#pragma once
// Why a job makes no progress, from what its ranks show. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/state/job_pages.hpp"

namespace rb2::state {

/// Whose action can end the wait of one rank.
struct WaitsFor {
    bool waits = false;
    std::vector<int> any_of;  ///< one of these ranks; empty: not known
};

/// Ranks each of which waits for the next, and the last for the first; empty when some rank outside can still
/// end every wait. The wait for one of several ranks is without hope only if all of those are. Begins with
/// the lowest rank of the cycle.
[[nodiscard]] std::vector<int> find_cycle(const std::vector<WaitsFor>& ranks);

/// What a rank does, as far as can be told from two looks at it.
enum class Doing : std::uint8_t {
    no_page,     ///< it has not initialized, or is no program of this library
    starting,    ///< in MPI_Init
    finalizing,  ///< in MPI_Finalize, and no message is waited for
    ended,       ///< it has finalized, or its process has come to its end
    gone,        ///< its process is not there any more
    stopped,     ///< by a signal or a debugger
    waits,       ///< and nothing came or went between the looks
    moves,       ///< waits, but something came or went
    polls,       ///< calls like MPI_Test that find nothing
    silent,      ///< no answer: it runs code outside of the library, or is too busy inside
};

/// `before` and `now`: two looks at one rank.
[[nodiscard]] Doing doing(const RankView& before, const RankView& now);

/// A collective call that some have entered, and wait in, and others have not.
struct MissingInCollective {
    std::string function;  ///< empty: not known
    std::uint32_t communicator = 0;
    std::uint32_t call = 0;    ///< its number on that communicator
    std::vector<int> waiting;  ///< ranks
    std::vector<int> missing;
};

/// Ranks that have called different collectives where they should have called the same.
struct MixedCollective {
    std::uint32_t communicator = 0;
    std::uint32_t call = 0;
    struct Caller {
        int rank;
        std::string function;
    };
    std::vector<Caller> callers;  ///< one rank for each function
};

/// Ranks that wait for one that waits for nobody.
struct WaitedFor {
    int rank = 0;
    std::vector<int> waiting;
};

struct Diagnosis {
    std::vector<Doing> doing;  ///< by rank
    std::vector<int> cycle;    ///< as find_cycle() says
    std::vector<MissingInCollective> missing;
    std::vector<MixedCollective> mixed;
    std::vector<WaitedFor> waited_for;
};

/// By rank; as many of each.
[[nodiscard]] Diagnosis diagnose(const std::vector<RankView>& before, const std::vector<RankView>& now);

}  // namespace rb2::state
