#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "osu-style-bench/engine/spec.hpp"

namespace rb2::bench::compare {

/// One start of a program: its ranks and flags.
struct Start {
    int ranks = 2;
    std::vector<std::string> args;
    std::optional<std::size_t> key;  ///< row of the table the figure belongs to; none: the program's own key
};

/// What a machine limit is compared with.
enum class Yardstick { None, Latency, Bandwidth, SlotRate };

/// One table of the comparison: a program, what to start, and which figure counts.
struct Case {
    std::string name;     ///< as given to --bench
    std::string program;  ///< file name of the executable
    std::string title;
    std::string key_heading;
    std::string unit;
    Better better = Better::Lower;
    std::size_t figure = 0;  ///< column of the program's report
    bool wall_time = false;  ///< the figure is the time of the whole job in ms, launcher included
    Yardstick yardstick = Yardstick::None;
    std::vector<Start> starts;
};

/// How much to measure. sizes is handed to -m of the programs that sweep sizes; empty: their default.
struct Effort {
    bool quick = false;
    std::string sizes;
    bool verify = false;
};

/// Every case there is, in the order of printing.
std::vector<Case> all_cases(const Effort& effort);

/// The cases of these names. Throws std::invalid_argument naming an unknown one and the known ones.
std::vector<Case> select_cases(std::vector<Case> cases, const std::vector<std::string>& names);

/// Names measured when none are given: all, or the two main ones when quick.
std::vector<std::string> default_names(const Effort& effort);

}  // namespace rb2::bench::compare
