#pragma once
// Reading the one-line files of /proc and /sys.

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace rb2::topology {

/// The whole file without trailing white space; nullopt when it cannot be read.
[[nodiscard]] inline std::optional<std::string> read_text(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) return std::nullopt;
    std::string content = text.str();
    content.erase(content.find_last_not_of(" \t\n") + 1);
    return content;
}

}  // namespace rb2::topology
