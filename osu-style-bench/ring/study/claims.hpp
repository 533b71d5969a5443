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

/// The claims for which `all` has the figures. `bare_part`: of BareRing.
std::vector<Claim> compare_with_papers(const std::vector<Taken>& all, double bare_part);

}  // namespace rb2::bench::study
