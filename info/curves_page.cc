// The critical size as a table and as the paper's figures.

#include <fmt/format.h>

#include <algorithm>

#include "info/report.hpp"
#include "osu-style-bench/compare/panels.hpp"

namespace rb2::info {
namespace {

using bench::compare::Panel;
using memory::critical_size::Buffer;
using memory::critical_size::Crossing;
using memory::critical_size::Curve;
using memory::critical_size::Curves;
using memory::critical_size::kBuffers;
using memory::critical_size::kWorks;
using memory::critical_size::Point;
using memory::critical_size::Work;

std::string bytes_text(std::uint64_t bytes) {
    if (bytes == Crossing::kNever) return "never";
    if (bytes >= (1U << 20)) return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1U << 20));
    return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

const char* name_of(Buffer buffer) noexcept {
    if (buffer.huge) return buffer.resident ? "resident huge pages" : "huge page faults";
    return buffer.resident ? "resident pages" : "page faults";
}

std::string microseconds(const Curve& curve, std::uint64_t bytes) {
    const auto at = std::ranges::find(curve, bytes, &Point::bytes);
    return at == curve.end() ? "-" : fmt::format("{:.2f}", at->ns / 1000);
}

std::string table(const Curves& curves, Buffer buffer) {
    std::string text = fmt::format("  {} (us)\n  {:>10} {:>12} {:>12} {:>12}\n", name_of(buffer), "size",
                                   "copy", "register", "deregister");
    for (const Point& point : curves.of(Work::copy, buffer)) {
        text += fmt::format("  {:>10}", bytes_text(point.bytes));
        for (const Work work : kWorks)
            text += fmt::format(" {:>12}", microseconds(curves.of(work, buffer), point.bytes));
        text += '\n';
    }
    return text + '\n';
}

void add_curve(Panel& panel, std::string label, const Curve& curve) {
    bench::compare::Curve drawn{std::move(label), {}, static_cast<int>(panel.curves.size())};
    for (const Point& point : curve)
        drawn.points.emplace_back(static_cast<double>(point.bytes), point.ns / 1000);
    panel.curves.push_back(std::move(drawn));
}

Panel registration_costs(const Curves& curves) {
    Panel panel{"Fig. 5: registration costs", "size (bytes)", "time (us)", {}};
    for (const Buffer buffer : kBuffers)
        add_curve(panel, fmt::format("register, {}", name_of(buffer)), curves.of(Work::add, buffer));
    for (const bool huge : {false, true})
        add_curve(panel, huge ? "deregister, huge pages" : "deregister",
                  curves.of(Work::remove, {true, huge}));
    return panel;
}

Panel against_copy(const Curves& curves, bool resident) {
    Panel panel{resident ? "Fig. 8: registration against memcpy, resident pages"
                         : "Fig. 9: registration against memcpy, nonresident pages",
                "size (bytes)",
                "time (us)",
                {}};
    for (const bool huge : {false, true}) {
        const char* pages = huge ? ", huge pages" : "";
        add_curve(panel, fmt::format("memcpy{}", pages), curves.of(Work::copy, {resident, huge}));
        add_curve(panel, fmt::format("register{}", pages), curves.of(Work::add, {resident, huge}));
    }
    return panel;
}

}  // namespace

std::string as_text(const CriticalSizes& sizes) {
    std::string text = fmt::format("critical size, {} ({})\n\n", sizes.device, sizes.result.source);
    for (const Buffer buffer : kBuffers)
        if (!sizes.result.curves.of(Work::copy, buffer).empty()) text += table(sizes.result.curves, buffer);
    text += fmt::format("  registering is cheaper than copying from\n  {:<22} {:>14} {:>24}\n", "",
                        "register", "register + deregister");
    for (const Buffer buffer : kBuffers) {
        const Crossing& crossing = sizes.result.crossings.at(buffer);
        text += fmt::format("  {:<22} {:>14} {:>24}\n", name_of(buffer), bytes_text(crossing.registering),
                            bytes_text(crossing.reregistering));
    }
    return text;
}

void draw(const CriticalSizes& sizes, const std::string& png) {
    const Curves& curves = sizes.result.curves;
    bench::compare::draw_panels(
        {registration_costs(curves), against_copy(curves, true), against_copy(curves, false)}, png);
}

}  // namespace rb2::info
