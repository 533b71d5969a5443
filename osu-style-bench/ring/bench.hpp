#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// A named load.
struct Bench {
    std::string_view name;
    std::string_view title;
    Load load;
    std::uint64_t window;  ///< messages that wait for an answer at a time
    std::size_t bytes;     ///< of a message, 0: swept
    std::size_t reply_bytes;
    bool one_way;  ///< no round trips to time
};

/// All there are.
std::span<const Bench> all_benches();

/// Throws std::invalid_argument naming the known ones.
const Bench& find_bench(std::string_view name);

/// The job of this bench for messages of `bytes`, the rest as in `base`.
Job job_of(const Bench& bench, const Job& base, std::size_t bytes);

}  // namespace rb2::bench::study
