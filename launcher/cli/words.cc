#include "launcher/cli/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace rb2::launcher {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::optional<int> parse_number(std::string_view text, int low, int high) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool fine = error == std::errc{} && stop == end && number >= low && number <= high;
    return fine ? std::optional(number) : std::nullopt;
}

void for_each_line(std::string_view text,
                   const std::function<void(const std::vector<std::string_view>&)>& take) {
    int number = 0;
    for (const std::string_view line : split(text, "\n")) {
        ++number;
        std::vector<std::string_view> words = split(line.substr(0, line.find('#')), " \t\r");
        std::erase(words, "");
        try {
            if (!words.empty()) {
                take(words);
            }
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
        }
    }
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {  // an empty file sets failbit, too
        const int error = errno;
        if (!file.is_open() || error == EISDIR) {
            throw std::invalid_argument(fmt::format("{}: {}", path, std::strerror(error)));
        }
    }
    return text.str();
}

}  // namespace rb2::launcher
