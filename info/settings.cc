#include "pt2pt/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "info/report.hpp"
#include "runtime/status.hpp"

namespace rb2::info {
namespace {

/// What ranks would say to the environment as it is; it names the first bad variable.
std::string refusal() {
    try {
        static_cast<void>(pt2pt::Settings::from_environment());
    } catch (const StartupError& error) {
        return error.what();
    }
    return {};
}

/// Whether the text has the variable, and not only one whose name begins with it.
bool names(const std::string& text, const std::string& variable) {
    for (std::size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at + 1)) {
        const char next = text[std::min(at + variable.size(), text.size())];  // the text's end is a 0
        if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_') return true;
    }
    return false;
}

}  // namespace

std::vector<SettingNow> settings_now() {
    const std::string error = refusal();
    std::vector<SettingNow> all;
    for (const pt2pt::SettingInfo& info : pt2pt::setting_table()) {
        const std::string variable(info.variable);
        const char* value = std::getenv(variable.c_str());
        all.push_back({variable, std::string(info.unit),
                       value != nullptr ? value : std::string(info.fallback),
                       value != nullptr ? "environment" : "default", names(error, variable) ? error : "",
                       std::string(info.meaning)});
    }
    return all;
}

}  // namespace rb2::info
