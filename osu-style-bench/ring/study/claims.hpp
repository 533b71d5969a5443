#pragma once

#include <string>
#include <vector>

#include "osu-style-bench/ring/study/experiment.hpp"

namespace rb2::bench::study {

/// Something the papers found, and what was found here.
struct Claim {
    std::string text;
    std::string paper;  ///< what it says
    std::string here;
    bool agrees;
};

/// The claims for which `all` has the figures.
std::vector<Claim> compare_with_paper(const std::vector<Taken>& all);

}  // namespace rb2::bench::study
