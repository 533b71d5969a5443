#include "runtime/fabric/verbs/port_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <tuple>

#include "runtime/status.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/text_file.hpp"

namespace rb2::fabric::verbs {
namespace {

/// The words of RB2_VERBS_DEVICE.
std::vector<std::string_view> words(std::string_view list) {
    std::vector<std::string_view> all;
    if (list.empty()) return all;
    for (std::size_t comma = list.find(','); comma != list.npos; comma = list.find(',')) {
        all.push_back(list.substr(0, comma));
        list.remove_prefix(comma + 1);
    }
    all.push_back(list);
    return all;
}

bool is_named(const PortInfo& info, std::string_view word) {
    return word == info.device || word == fmt::format("{}:{}", info.device, info.port);
}

bool wanted(const PortInfo& info, const Options& options) {
    const auto names = words(options.device);
    const auto named = [&](std::string_view word) { return is_named(info, word); };
    return (names.empty() || std::ranges::any_of(names, named)) &&
           (options.port == 0 || info.port == options.port);
}

const char* refusal(const PortInfo& info, const Options& options) {
    if (!wanted(info, options)) return "not the one asked for";
    if (!info.active) return "not active (cable, link, or subnet manager)";
    return "no GID (is its network interface up and has it an address?)";
}

bool usable(const PortInfo& info, const Options& options) {
    return wanted(info, options) && info.active && info.gids != 0;
}

[[noreturn]] void refuse(std::string_view what, std::span<const PortInfo> ports, const Options& options) {
    std::string text = fmt::format("verbs: {}", what);
    if (!options.device.empty() || options.port != 0)
        text += fmt::format(" (RB2_VERBS_DEVICE={} RB2_VERBS_PORT={})", options.device, options.port);
    if (ports.empty()) text += ": this machine has no RDMA device; see ibv_devices, rdma link";
    for (const PortInfo& info : ports) {
        if (!usable(info, options))
            text += fmt::format("; {} port {}: {}", info.device, info.port, refusal(info, options));
    }
    throw StartupError(text);
}

auto quality(const PortInfo& info) { return std::tuple(info.near, info.gigabits); }

}  // namespace

std::vector<std::size_t> choose_ports(std::span<const PortInfo> ports, const Options& options) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (usable(ports[i], options)) chosen.push_back(i);
    if (chosen.empty()) refuse("no usable RDMA port", ports, options);
    for (const std::string_view word : words(options.device)) {
        if (std::ranges::none_of(ports, [&](const PortInfo& info) { return is_named(info, word); }))
            refuse(fmt::format("there is no RDMA device or port '{}'", word), ports, options);
    }
    std::ranges::stable_sort(chosen, std::greater{}, [&](std::size_t i) { return quality(ports[i]); });
    if (options.rails == 0) {
        const auto best = quality(ports[chosen.front()]);
        std::erase_if(chosen, [&](std::size_t i) { return quality(ports[i]) != best; });
    }
    const std::size_t most = options.rails == 0 ? kMostRails : static_cast<std::size_t>(options.rails);
    chosen.resize(std::min(chosen.size(), most));
    return chosen;
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
