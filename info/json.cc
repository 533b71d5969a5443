// The report as text and as JSON: the same facts in the same order.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "info/report.hpp"

namespace rb2::info {
namespace {

using memory::critical_size::Buffer;
using memory::critical_size::Crossing;
using memory::critical_size::kBuffers;
using memory::critical_size::kWorks;
using memory::critical_size::Point;
using nlohmann::json;

json machine_json(const Machine& machine) {
    return {{"host", machine.host},
            {"kernel", machine.kernel},
            {"processor", machine.processor},
            {"cpus", machine.cpus},
            {"usable_cpus", machine.usable_cpus},
            {"cores", machine.cores},
            {"packages", machine.packages},
            {"numa_nodes", machine.numa_nodes},
            {"memory_bytes", machine.memory_bytes},
            {"shared_memory_free_bytes", machine.shared_memory_free_bytes},
            {"huge_pages", machine.huge_pages},
            {"memlock", machine.memlock}};
}

json bytes_json(std::uint64_t bytes) { return bytes == Crossing::kNever ? json(nullptr) : json(bytes); }

json critical_size_json(const CriticalSizes& sizes) {
    static constexpr std::array work_names{"copy_ns", "register_ns", "deregister_ns"};
    json buffers = json::array();
    for (const Buffer buffer : kBuffers) {
        const Crossing& crossing = sizes.result.crossings.at(buffer);
        json one = {{"resident", buffer.resident},
                    {"huge_pages", buffer.huge},
                    {"register_from_bytes", bytes_json(crossing.registering)},
                    {"register_and_deregister_from_bytes", bytes_json(crossing.reregistering)}};
        for (std::size_t i = 0; i < kWorks.size(); ++i) {
            json& curve = one[work_names.at(i)] = json::array();
            for (const Point& point : sizes.result.curves.of(kWorks.at(i), buffer))
                curve.push_back({point.bytes, point.ns});
        }
        buffers.push_back(std::move(one));
    }
    return {{"device", sizes.device}, {"source", sizes.result.source}, {"buffers", buffers}};
}

std::string settings_text(const std::vector<SettingNow>& settings) {
    std::string text = "settings\n";
    for (const SettingNow& setting : settings) {
        text += fmt::format("  {:<30} {:<24} {:<12} {} ({})\n", setting.variable, setting.value,
                            setting.source, setting.meaning, setting.unit);
        if (!setting.error.empty()) text += fmt::format("  REFUSED: {}\n", setting.error);
    }
    return text;
}

std::string direct_text(const std::vector<DirectWrites>& all) {
    std::string text = "\nwritten directly into the receiver's buffer, to ranks of other hosts\n";
    for (const DirectWrites& each : all) {
        const std::string from = each.from_bytes == Crossing::kNever ? "never"
                                 : each.from_bytes == 0              ? "unknown"
                                                        : fmt::format("from {} bytes", each.from_bytes);
        text += fmt::format("  {:<20} {:<18} {}\n", each.fabric, from, each.why);
    }
    return text;
}

json direct_json(const std::vector<DirectWrites>& all) {
    json list = json::array();
    for (const DirectWrites& each : all)
        list.push_back(
            {{"fabric", each.fabric}, {"from_bytes", bytes_json(each.from_bytes)}, {"why", each.why}});
    return list;
}

constexpr double kGiB = 1U << 30;

}  // namespace

std::string as_text(const Report& report) {
    const Machine& m = report.machine;
    std::string text = fmt::format(
        "rb2 {}\n\nmachine\n  {}, {}\n  {}\n  CPUs: {} ({:.3g} usable here), cores: {}, packages: {}, NUMA "
        "nodes: {}\n"
        "  {:.1f} GiB memory, {:.1f} GiB free in /dev/shm, huge pages: {}, locked memory: {}\n\nfabrics\n",
        RB2_VERSION, m.host, m.kernel, m.processor, m.cpus, m.usable_cpus, m.cores, m.packages, m.numa_nodes,
        static_cast<double>(m.memory_bytes) / kGiB, static_cast<double>(m.shared_memory_free_bytes) / kGiB,
        m.huge_pages, m.memlock);
    for (const Fabric& fabric : report.fabrics)
        text += fmt::format("  {:<20} {:<14} {}\n", fabric.name,
                            fabric.available ? "available" : "not available", fabric.note);
    text += fmt::format("\nregistration cache\n  {}\n\n{}", report.registration_cache,
                        settings_text(report.settings));
    text += direct_text(report.direct_writes);
    for (const CriticalSizes& sizes : report.critical_sizes) text += fmt::format("\n{}", as_text(sizes));
    return text;
}

std::string as_json(const Report& report) {
    json fabrics = json::array();
    for (const Fabric& fabric : report.fabrics)
        fabrics.push_back({{"name", fabric.name}, {"available", fabric.available}, {"note", fabric.note}});
    json settings = json::array();
    for (const SettingNow& setting : report.settings) {
        json one = {{"variable", setting.variable},
                    {"value", setting.value},
                    {"unit", setting.unit},
                    {"source", setting.source},
                    {"meaning", setting.meaning}};
        if (!setting.error.empty()) one["error"] = setting.error;
        settings.push_back(std::move(one));
    }
    json all = {{"version", RB2_VERSION}, {"machine", machine_json(report.machine)},
                {"fabrics", fabrics},     {"registration_cache", report.registration_cache},
                {"settings", settings},   {"direct_writes", direct_json(report.direct_writes)}};
    json& sizes = all["critical_sizes"] = json::array();
    for (const CriticalSizes& each : report.critical_sizes) sizes.push_back(critical_size_json(each));
    // What the system says about itself need not be UTF-8.
    return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace rb2::info
