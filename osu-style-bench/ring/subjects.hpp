#pragma once
// Where subjects come from: one line each in one of these (rb2_mixes.cc and its neighbours).

#include <vector>

#include "osu-style-bench/ring/subject.hpp"

namespace rb2::bench::study {

void add_rb2(std::vector<Subject>& subjects);
void add_rivals(std::vector<Subject>& subjects);     ///< Table I of the rb2 paper
void add_pairs(std::vector<Subject>& subjects);      ///< Fig. 3: head by tail synchronisation, batching fixed
void add_ablations(std::vector<Subject>& subjects);  ///< Table II: RB² without one of its parts

void add_channels(std::vector<Subject>& subjects);  ///< Table 2 of the protocols paper

}  // namespace rb2::bench::study
