#include "pt2pt/settings.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "runtime/status.hpp"

namespace rb2::pt2pt {
namespace {

constexpr std::array<SettingInfo, 12> kTable{{
    {"RB2_RING_SLOTS", "64 B slots", "from topology", "slots of each ring, rounded up to a power of two"},
    {"RB2_CHUNK_BYTES", "bytes", "from ring size",
     "piece in which longer messages are copied through the ring"},
    {"RB2_EAGER_BYTES", "bytes", "from ring size", "bytes of a message sent before its receive is known"},
    {"RB2_UNEXPECTED_BYTES", "bytes", "16777216",
     "unexpected bytes kept per peer before its sender has to wait"},
    {"RB2_HUGE_PAGES", "0 or 1", "0", "ask for huge pages for the rings"},
    {"RB2_SINGLE_COPY_BYTES", "bytes", "16384",
     "longer messages are read from the sender's memory with one copy"},
    {"RB2_VERBS_DEVICE", "name", "nearest", "RDMA device, as ibv_devices lists it"},
    {"RB2_VERBS_PORT", "number", "first active", "port of the RDMA device"},
    {"RB2_VERBS_GID_INDEX", "index", "by content", "entry of the port's GID table"},
    {"RB2_VERBS_MTU", "bytes", "the port's", "largest RDMA packet; peers use the smaller of two"},
    {"RB2_VERBS_TIMEOUT", "4.096 us * 2^n", "14", "how long an RDMA acknowledgement is waited for"},
    {"RB2_VERBS_RETRIES", "times", "7", "how often RDMA is tried again before the peer counts as lost"},
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

/// The variables from RB2_VERBS_DEVICE on.
fabric::verbs::Options verbs_options() {
    fabric::verbs::Options options;
    if (const char* const device = std::getenv("RB2_VERBS_DEVICE"); device != nullptr)
        options.device = device;
    options.port = static_cast<int>(number(kTable[7], 0, 1, 255));
    constexpr std::uint64_t by_content = 256;  // no index, that one has 8 bits
    const std::uint64_t index = number(kTable[8], by_content, 0, 255);
    options.gid_index = index == by_content ? -1 : static_cast<int>(index);
    options.mtu = static_cast<int>(number(kTable[9], 0, 256, 4096));
    options.timeout = static_cast<int>(number(kTable[10], 14, 1, 31));
    options.retries = static_cast<int>(number(kTable[11], 7, 0, 7));
    return options;
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
    settings.verbs = verbs_options();
    return settings;
}

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

}  // namespace rb2::pt2pt
