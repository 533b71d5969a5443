#pragma once
// "Did you mean": the known name closest to a mistyped one.

#include <string>
#include <string_view>
#include <vector>

namespace rb2::launcher {

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the fewest edits, the earlier one on a tie; empty when all are further away than
/// an edit for every third letter of the word, so that nonsense gets no advice.
[[nodiscard]] std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rb2::launcher
