#include "pt2pt/settings.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "pt2pt/collective/shared_memory.hpp"
#include "pt2pt/collective/tree.hpp"
#include "runtime/mesh/mesh.hpp"
#include "runtime/status.hpp"

namespace rb2::pt2pt {
namespace {

constexpr SettingInfo kTable[] = {
    {"RB2_RING_SLOTS", "64 B slots", "from topology", "slots of each ring, rounded up to a power of two"},
    {"RB2_CHUNK_BYTES", "bytes", "8192 or 16384",
     "piece in which longer messages are copied through the ring; at most a quarter ring"},
    {"RB2_EAGER_BYTES", "bytes", "131072",
     "bytes of a message sent before its receive is known; at most a quarter ring"},
    {"RB2_MESH_BYTES", "bytes", "2097152",
     "shared memory of a rank up to which all rings are made at start; beyond it at first contact"},
    {"RB2_UNEXPECTED_BYTES", "bytes", "16777216",
     "unexpected bytes kept per peer before its sender has to wait"},
    {"RB2_SHORT_SLICES", "0 or 1", "1",
     "ask the scheduler for short slices of the CPU, so that ranks that wait beside busy programs go on "
     "sooner"},
    {"RB2_REPORT_START", "0 or 1", "0", "each rank tells at its end what start and first contacts took"},
    {"RB2_REPORT_FABRICS", "0 or 1", "0",
     "rank 0 tells at its start which fabric serves which ranks, and why"},
    {"RB2_HUGE_PAGES", "0 or 1", "0", "ask for huge pages for the rings"},
    {"RB2_SINGLE_COPY_BYTES", "bytes", "65536 or RB2_EAGER_BYTES",
     "longer messages are read from the sender's memory with one copy"},
    {"RB2_FABRICS", "list", "shm,verbs,tcp",
     "fabrics that may be used; each pair of ranks takes the first it can"},
    {"RB2_DIRECT_BYTES", "bytes", "critical size",
     "to ranks of other hosts, messages of so many are written straight into the receiver's buffer"},
    {"RB2_TCP_INCLUDE", "list of interfaces, addresses and ranges", "all",
     "where to listen and whom to call over tcp"},
    {"RB2_TCP_EXCLUDE", "list of interfaces, addresses and ranges", "none", "stronger than what is included"},
    {"RB2_TCP_CONGESTION", "name", "the system's, but no bbr",
     "congestion control of tcp connections, as in tcp_available_congestion_control"},
    {"RB2_VERBS_DEVICE", "list of name or name:port", "all",
     "RDMA devices that may be used, as in /sys/class/infiniband"},
    {"RB2_VERBS_PORT", "number", "any active", "port of the devices"},
    {"RB2_VERBS_RAILS", "ports", "equals of the best",
     "used at once: large writes are spread over them; 1: the nearest alone"},
    {"RB2_VERBS_GID_INDEX", "number", "by content", "entry of the port's GID table"},
    {"RB2_VERBS_MTU", "bytes", "the port's", "payload of a packet, a power of two"},
    {"RB2_VERBS_TIMEOUT", "2^n * 4.096 us", "14", "wait for an acknowledgement"},
    {"RB2_VERBS_RETRIES", "times", "6", "before the peer counts as lost"},
    {"RB2_VERBS_RNR_RETRIES", "times", "7", "when the peer has no receive posted; 7: without end"},
    {"RB2_VERBS_QPS", "queue pairs", "1", "to each peer on each rail; large writes are spread over them"},
    {"RB2_REGISTRATION_CACHE", "on, off, userfaultfd, interposed or check", "on",
     "keep memory registered between operations, and how changes to it are noticed"},
    {"RB2_REGISTRATION_CACHE_BYTES", "bytes", "a quarter of the memory",
     "registered at once before what is not in use is deregistered"},
    {"RB2_REGISTRATION_CACHE_COUNT", "registrations", "4096", "likewise, their number"},
};

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

/// The row of a variable; one that the table does not have does not compile.
consteval const SettingInfo& row(std::string_view variable) {
    for (const SettingInfo& info : kTable)
        if (info.variable == variable) return info;
    throw "no such setting";
}

/// The variable's text; null when it is not set. Names in the table end with a zero.
const char* text(const SettingInfo& info) { return std::getenv(info.variable.data()); }

std::string text_or_empty(const SettingInfo& info) {
    const char* const found = text(info);
    return found == nullptr ? "" : found;
}

/// The variable's value in [low, high], or `fallback` when it is not set.
std::uint64_t number(const SettingInfo& info, std::uint64_t fallback, std::uint64_t low, std::uint64_t high) {
    const char* const found = text(info);
    if (found == nullptr) return fallback;
    const std::string_view view(found);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error == std::errc{} && end == view.data() + view.size() && value >= low && value <= high)
        return value;
    throw StartupError(fmt::format("{}={} is not a number from {} to {} ({}: {})", info.variable, view, low,
                                   high, info.unit, info.meaning));
}

memory::registration::Mode registration_mode() {
    using memory::registration::Mode;
    constexpr std::array<std::pair<std::string_view, Mode>, 5> names{{{"on", Mode::automatic},
                                                                      {"off", Mode::per_operation},
                                                                      {"userfaultfd", Mode::userfaultfd},
                                                                      {"interposed", Mode::interposed},
                                                                      {"check", Mode::checked}}};
    constexpr SettingInfo info = row("RB2_REGISTRATION_CACHE");
    const char* const found = text(info);
    if (found == nullptr) return Mode::automatic;
    for (const auto& [name, mode] : names)
        if (name == found) return mode;
    throw StartupError(fmt::format("{}={} is not {} ({})", info.variable, found, info.unit, info.meaning));
}

fabric::verbs::Options verbs_options() {
    fabric::verbs::Options options;
    const auto take = [](const SettingInfo& info, int fallback, int low, int high) {
        return text(info) == nullptr ? fallback : static_cast<int>(number(info, 0, low, high));
    };
    options.device = text_or_empty(row("RB2_VERBS_DEVICE"));
    options.port = take(row("RB2_VERBS_PORT"), options.port, 1, 255);
    options.gid_index = take(row("RB2_VERBS_GID_INDEX"), options.gid_index, 0, 255);
    options.mtu = take(row("RB2_VERBS_MTU"), options.mtu, 256, 4096);
    options.timeout = take(row("RB2_VERBS_TIMEOUT"), options.timeout, 1, 31);
    options.retries = take(row("RB2_VERBS_RETRIES"), options.retries, 0, 7);
    options.not_ready_retries = take(row("RB2_VERBS_RNR_RETRIES"), options.not_ready_retries, 0, 7);
    options.rails = take(row("RB2_VERBS_RAILS"), options.rails, 1, fabric::verbs::kMostRails);
    options.queue_pairs = take(row("RB2_VERBS_QPS"), options.queue_pairs, 1, 16);
    return options;
}

}  // namespace

Settings Settings::from_environment() {
    Settings settings;
    settings.ring_slots = static_cast<std::uint32_t>(number(row("RB2_RING_SLOTS"), 0, 64, 1U << 20));
    settings.mesh_bytes = number(row("RB2_MESH_BYTES"), settings.mesh_bytes, 0, 1ULL << 42);
    settings.chunk_bytes = number(row("RB2_CHUNK_BYTES"), 0, 64, 1U << 23);
    settings.eager_bytes = number(row("RB2_EAGER_BYTES"), 0, 64, 1U << 30);
    settings.unexpected_bytes = number(row("RB2_UNEXPECTED_BYTES"), settings.unexpected_bytes, 0, kAny);
    if (text(row("RB2_SINGLE_COPY_BYTES")) != nullptr)
        settings.single_copy_bytes = number(row("RB2_SINGLE_COPY_BYTES"), 0, 0, kAny);
    settings.short_slices = number(row("RB2_SHORT_SLICES"), 1, 0, 1) != 0;
    settings.report_start = number(row("RB2_REPORT_START"), 0, 0, 1) != 0;
    settings.report_fabrics = number(row("RB2_REPORT_FABRICS"), 0, 0, 1) != 0;
    settings.huge_pages = number(row("RB2_HUGE_PAGES"), 0, 0, 1) != 0;
    if (const char* list = text(row("RB2_FABRICS")); list != nullptr)
        settings.fabrics = network::parse_fabrics(list);
    network::Choices& networks = settings.networks;
    networks.tcp_include = text_or_empty(row("RB2_TCP_INCLUDE"));
    networks.tcp_exclude = text_or_empty(row("RB2_TCP_EXCLUDE"));
    networks.tcp_congestion = text_or_empty(row("RB2_TCP_CONGESTION"));
    networks.eager_bytes = settings.eager_bytes;
    networks.direct_bytes = number(row("RB2_DIRECT_BYTES"), 0, 1, kAny);
    networks.verbs = verbs_options();
    networks.registration.mode = registration_mode();
    networks.registration.most_bytes = number(row("RB2_REGISTRATION_CACHE_BYTES"), 0, 1U << 20, 1ULL << 50);
    networks.registration.most_count =
        static_cast<std::uint32_t>(number(row("RB2_REGISTRATION_CACHE_COUNT"), 0, 1, 1U << 20));
    return settings;
}

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

mesh::MeshOptions Settings::mesh_options() const {
    return {.ring_slots = ring_slots,
            .mesh_bytes = mesh_bytes,
            .collective_bytes = sizeof(collective::SharedMemory),
            .collective_ranks = collective::kFlatRanks,
            .huge_pages = huge_pages,
            .fabrics = fabrics,
            .networks = networks};
}

}  // namespace rb2::pt2pt
