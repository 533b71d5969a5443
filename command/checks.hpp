#pragma once
// What an option's text must be, beyond what CLI11 knows.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace rb2::command {

/// A file that can be written, so that nobody learns only after the work that it cannot. "-" is standard
/// output.
inline CLI::Validator writable_file() {
    return CLI::Validator(
        [](const std::string& name) -> std::string {
            const std::filesystem::path file(name);
            const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
            std::error_code ignored;
            if (name == "-") return {};
            if (std::filesystem::is_directory(file, ignored)) return "'" + name + "' is a directory";
            const bool exists = std::filesystem::exists(file, ignored);
            if (::access((exists ? file : directory).c_str(), W_OK) == 0) return {};
            return "'" + name + "' cannot be written: " + std::strerror(errno);
        },
        "");
}

/// One of a few names, which stands for a value of an enumeration.
template <class Value>
CLI::Validator one_of(std::map<std::string, Value> names) {
    return CLI::Validator(
        [names = std::move(names)](std::string& text) -> std::string {
            const auto found = names.find(text);
            if (found != names.end()) {
                text = std::to_string(static_cast<int>(found->second));
                return {};
            }
            std::string known;
            for (const auto& [name, value] : names) known += " " + name;
            return "'" + text + "' is none of" + known;
        },
        "");
}

}  // namespace rb2::command
