#pragma once
// Reading small texts that users write: lists, lines, numbers, files.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rb2::launcher {

/// The parts between characters of `separators`, empty ones too; at least one.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, std::string_view separators);

/// A whole decimal number from `low` to `high`, and nothing else.
[[nodiscard]] std::optional<int> parse_number(std::string_view text, int low, int high);

/// Calls `take` with the words of every line that has some, without comments ("# ..."). Adds the line's
/// number to what `take` throws as std::invalid_argument.
void for_each_line(std::string_view text,
                   const std::function<void(const std::vector<std::string_view>&)>& take);

/// The whole file. Throws std::invalid_argument naming it.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace rb2::launcher
