#include "runtime/fabric/verbs/port_choice.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <tuple>

#include "runtime/status.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/text_file.hpp"

namespace rb2::fabric::verbs {
namespace {

bool wanted(const PortInfo& info, const Options& options) {
    return (options.device.empty() || info.device == options.device) &&
           (options.port == 0 || info.port == options.port);
}

const char* refusal(const PortInfo& info, const Options& options) {
    if (!wanted(info, options)) return "not the one asked for";
    if (!info.active) return "not active (cable, link, or subnet manager)";
    return "no GID (is its network interface up and has it an address?)";
}

}  // namespace

std::size_t choose_port(std::span<const PortInfo> ports, const Options& options) {
    const auto quality = [](const PortInfo& info) { return std::tuple(info.near, info.gigabits); };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (!wanted(ports[i], options) || !ports[i].active || ports[i].gids == 0) continue;
        if (!best || quality(ports[i]) > quality(ports[*best])) best = i;
    }
    if (best) return *best;
    std::string text = "verbs: no usable RDMA port";
    if (!options.device.empty() || options.port != 0)
        text += fmt::format(" (RB2_VERBS_DEVICE={} RB2_VERBS_PORT={})", options.device, options.port);
    if (ports.empty()) text += ": this machine has no RDMA device; see ibv_devices, rdma link";
    for (const PortInfo& info : ports)
        text += fmt::format("; {} port {}: {}", info.device, info.port, refusal(info, options));
    throw StartupError(text);
}

bool is_near(const std::string& device) {
    // A software device has no bus of its own but names the network interface that it uses.
    const std::filesystem::path rdma = std::filesystem::path("/sys/class/infiniband") / device;
    const auto interface = topology::read_text(rdma / "parent");
    const std::filesystem::path net = std::filesystem::path("/sys/class/net") / interface.value_or("");
    const topology::CpuSet own = topology::CpuSet::of_this_thread();
    for (const auto& bus : {rdma / "device", net / "device", net / "device" / ".."}) {
        const auto list = topology::read_text(bus / "local_cpulist");
        if (!list || list->empty()) continue;
        const topology::CpuSet local = topology::CpuSet::from_list(*list);
        return hwloc_bitmap_intersects(local.hwloc(), own.hwloc()) != 0;
    }
    return true;
}

}  // namespace rb2::fabric::verbs
