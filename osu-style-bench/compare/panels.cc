#include "osu-style-bench/compare/panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>

#include "osu-style-bench/compare/process.hpp"

namespace rb2::bench::compare {
namespace {

constexpr int kPanelWidth = 760;
constexpr int kPanelHeight = 520;
constexpr std::chrono::seconds kPatience{60};

bool has_place(const std::pair<double, double>& point) { return point.first > 0 && point.second > 0; }

/// A named block of two columns.
std::string data_block(const Curve& curve, const std::string& name) {
    std::string text = fmt::format("${} << END\n", name);
    for (const auto& [x, y] : curve.points) {
        if (has_place({x, y})) {
            text += fmt::format("{} {}\n", x, y);
        }
    }
    return text + "END\n";
}

std::string panel_script(const Panel& panel, std::size_t number) {
    std::string blocks;
    std::string curves;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
        const Curve& curve = panel.curves[i];
        if (std::ranges::any_of(curve.points, has_place)) {
            const std::string name = fmt::format("panel{}curve{}", number, i);
            blocks += data_block(curve, name);
            curves +=
                fmt::format("{}${} with linespoints lw 2 pt {} lc {} title '{}'", curves.empty() ? "" : ", ",
                            name, curve.style + 5, curve.style + 1, curve.label);
        }
    }
    if (curves.empty()) {
        return "";
    }
    return blocks +
           fmt::format("set title '{}'\nset xlabel '{}'\nset ylabel '{}'\nset key left top\nplot {}\n",
                       panel.title, panel.x_label, panel.y_label, curves);
}

}  // namespace

std::string panels_script(const std::vector<Panel>& panels, const std::filesystem::path& png) {
    const std::size_t columns = panels.size() < 2 ? 1 : 2;
    const std::size_t rows = (panels.size() + columns - 1) / columns;
    std::string script = fmt::format(
        "set terminal pngcairo size {},{}\nset output '{}'\nset logscale x 2\nset logscale y 10\nset grid\n"
        "set multiplot layout {},{}\n",
        kPanelWidth * columns, kPanelHeight * rows, png.string(), rows, columns);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        script += panel_script(panels[i], i);
    }
    return script + "unset multiplot\n";
}

void draw_panels(const std::vector<Panel>& panels, const std::filesystem::path& png) {
    const ScratchDirectory scratch;
    const std::filesystem::path script = scratch / "plot.gp";
    std::ofstream(script) << panels_script(panels, std::filesystem::absolute(png));
    const Ending ending = run_command({"gnuplot", script.string()}, kPatience, scratch / "output");
    if (!ending.succeeded) {
        throw std::runtime_error(fmt::format("gnuplot: {}\n{}", ending.reason, ending.output));
    }
}

}  // namespace rb2::bench::compare
