#pragma once
// What rb2stat prints of two looks at a job, as text and as JSON.

#include <string>

#include "runtime/state/report.hpp"

namespace rb2::jobstat {

/// What to print besides the table of ranks.
struct Shown {
    bool matrix = true;  ///< who sent how much to whom
};

/// Rates are those between the looks.
[[nodiscard]] std::string as_text(const state::Looks& looks, const Shown& shown);
/// One line, an object.
[[nodiscard]] std::string as_json(const state::Looks& looks);

/// Between the looks; 0 where the rank has no two of them.
struct Rates {
    double sent_messages = 0;  ///< per second
    double sent_bytes = 0;
    double received_messages = 0;
    double received_bytes = 0;
    double waiting = 0;  ///< part of the time, 0 to 1
};
[[nodiscard]] Rates rates(const state::RankView& before, const state::RankView& now);

/// In one word: "waits", "runs", ...
[[nodiscard]] const char* word_for(state::Doing doing);

}  // namespace rb2::jobstat
