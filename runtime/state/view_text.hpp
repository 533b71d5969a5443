#pragma once
// What was seen of one rank as a line of text: so the looks of several hosts come together (rb2stat --raw).

#include <optional>
#include <string>
#include <string_view>

#include "runtime/state/job_pages.hpp"

namespace rb2::state {

/// Which of two looks it is.
enum class Look { before = 0, now = 1 };

struct SeenRank {
    Look look = Look::now;
    int rank = 0;
    std::uint64_t told_ns = 0;  ///< the clock there when this is told; the same for all looks at a rank
    RankView view;
};

/// Without a newline. Only for the same version of rb2 on a machine of the same kind.
[[nodiscard]] std::string to_line(const SeenRank& seen);

/// Of a line that may have other text in front; nullopt: it is no such line. Its times are shifted to the
/// clock of this host, as if it had been told at `now_ns`.
[[nodiscard]] std::optional<SeenRank> from_line(std::string_view line, std::uint64_t now_ns);

}  // namespace rb2::state
