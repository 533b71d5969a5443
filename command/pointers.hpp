#pragma once

#include <string>
#include <vector>

namespace rb2::command {

/// What exec and posix_spawn take as arguments or environment: pointers into `texts`, and a null behind them.
/// They are valid as long as `texts` is not changed.
[[nodiscard]] inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        pointers.push_back(const_cast<char*>(text.c_str()));  // their type; they do not write
    }
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace rb2::command
