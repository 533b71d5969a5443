#include "pt2pt/start_report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <limits>

namespace rb2::pt2pt {
namespace {

/// The number behind `name` in a file of lines "name: number ..."; 0 when there is none.
std::uint64_t number_in(const char* file, const std::string& name) {
    std::ifstream lines(file);
    for (std::string word; lines >> word;) {
        std::uint64_t value = 0;
        if (word == name && lines >> value) return value;
        lines.clear();
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

}  // namespace

std::string start_report(const bootstrap::Session& session, const mesh::Mesh& mesh,
                         const FabricTransport& transport, std::chrono::microseconds open) {
    constexpr const char* memory = "/proc/self/smaps_rollup";
    const bootstrap::Traffic& traffic = session.traffic();
    const mesh::StartTimes& times = mesh.start_times();
    return fmt::format(
        "rb2: rank {} of {}: open_us={} cards_us={} rings_us={} networks_us={} fences={} fetches={} "
        "fetch_us={} fetched_bytes={} published_bytes={} on_demand={} met={} ring_slots={} shared_bytes={} "
        "private_kib={} "
        "pss_kib={} page_table_kib={}",
        session.rank(), session.size(), open.count(), times.cards.count(), times.rings.count(),
        times.networks.count(), traffic.fences, traffic.fetches,
        traffic.fetching / std::chrono::microseconds(1), traffic.fetched_bytes, traffic.published_bytes,
        mesh.on_demand() ? 1 : 0, transport.met(), mesh.plan().slots, mesh.shared_bytes(),
        number_in(memory, "Private_Dirty:") + number_in(memory, "Private_Clean:"), number_in(memory, "Pss:"),
        number_in("/proc/self/status", "VmPTE:"));
}

}  // namespace rb2::pt2pt
