#include "pt2pt/settings.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "runtime/status.hpp"

namespace rb2::pt2pt {
namespace {

constexpr std::array<SettingInfo, 10> kTable{{
    {"RB2_RING_SLOTS", "64 B slots", "from topology", "slots of each ring, rounded up to a power of two"},
    {"RB2_CHUNK_BYTES", "bytes", "from ring size",
     "piece in which longer messages are copied through the ring"},
    {"RB2_EAGER_BYTES", "bytes", "from ring size", "bytes of a message sent before its receive is known"},
    {"RB2_UNEXPECTED_BYTES", "bytes", "16777216",
     "unexpected bytes kept per peer before its sender has to wait"},
    {"RB2_HUGE_PAGES", "0 or 1", "0", "ask for huge pages for the rings"},
    {"RB2_SINGLE_COPY_BYTES", "bytes", "8192",
     "longer messages are read from the sender's memory with one copy"},
    {"RB2_FABRICS", "list", "shm,verbs,tcp",
     "fabrics that may be used; each pair of ranks takes the first it can"},
    {"RB2_REGISTRATION_CACHE", "on, off, userfaultfd, interposed or check", "on",
     "keep memory registered between operations, and how changes to it are noticed"},
    {"RB2_REGISTRATION_CACHE_BYTES", "bytes", "a quarter of the memory",
     "registered at once before what is not in use is deregistered"},
    {"RB2_REGISTRATION_CACHE_COUNT", "registrations", "4096", "likewise, their number"},
}};

/// The variable's value in [low, high], or `fallback` when it is not set.
std::uint64_t number(const SettingInfo& info, std::uint64_t fallback, std::uint64_t low, std::uint64_t high) {
    const char* text = std::getenv(std::string(info.variable).c_str());
    if (text == nullptr) return fallback;
    const std::string_view view(text);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error == std::errc{} && end == view.data() + view.size() && value >= low && value <= high)
        return value;
    throw StartupError(fmt::format("{}={} is not a number from {} to {} ({}: {})", info.variable, view, low,
                                   high, info.unit, info.meaning));
}

memory::registration::Mode registration_mode(const SettingInfo& info) {
    using memory::registration::Mode;
    constexpr std::array<std::pair<std::string_view, Mode>, 5> names{{{"on", Mode::automatic},
                                                                      {"off", Mode::per_operation},
                                                                      {"userfaultfd", Mode::userfaultfd},
                                                                      {"interposed", Mode::interposed},
                                                                      {"check", Mode::checked}}};
    const char* text = std::getenv(std::string(info.variable).c_str());
    if (text == nullptr) return Mode::automatic;
    for (const auto& [name, mode] : names)
        if (name == text) return mode;
    throw StartupError(fmt::format("{}={} is not {} ({})", info.variable, text, info.unit, info.meaning));
}

}  // namespace

Settings Settings::from_environment() {
    Settings settings;
    settings.ring_slots = static_cast<std::uint32_t>(number(kTable[0], 0, 64, 1U << 20));
    settings.chunk_bytes = number(kTable[1], 0, 64, 1U << 23);
    settings.eager_bytes = number(kTable[2], 0, 64, 1U << 30);
    settings.unexpected_bytes =
        number(kTable[3], settings.unexpected_bytes, 0, std::numeric_limits<std::uint64_t>::max());
    settings.single_copy_bytes =
        number(kTable[5], settings.single_copy_bytes, 0, std::numeric_limits<std::uint64_t>::max());
    settings.huge_pages = number(kTable[4], 0, 0, 1) != 0;
    if (const char* list = std::getenv("RB2_FABRICS"); list != nullptr)
        settings.fabrics = network::parse_fabrics(list);
    settings.registration.mode = registration_mode(kTable[7]);
    settings.registration.most_bytes = number(kTable[8], 0, 1U << 20, 1ULL << 50);
    settings.registration.most_count = static_cast<std::uint32_t>(number(kTable[9], 0, 1, 1U << 20));
    return settings;
}

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

}  // namespace rb2::pt2pt
