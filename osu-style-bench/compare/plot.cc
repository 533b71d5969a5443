#include "osu-style-bench/compare/plot.hpp"

#include "osu-style-bench/compare/panels.hpp"

namespace rb2::bench::compare {
namespace {

Panel panel_of(const Compared& compared, const std::vector<Library>& libraries) {
    Panel panel{compared.bench.title, compared.bench.key_heading, compared.bench.unit, {}};
    for (std::size_t i = 0; i < libraries.size(); ++i) {
        Curve curve{libraries[i].label, {}, static_cast<int>(i)};
        for (const ComparedRow& row : compared.rows) {
            if (row.figures[i]) {
                curve.points.emplace_back(static_cast<double>(row.key), *row.figures[i]);
            }
        }
        panel.curves.push_back(std::move(curve));
    }
    return panel;
}

std::vector<Panel> panels_of(const std::vector<Compared>& cases, const std::vector<Library>& libraries) {
    std::vector<Panel> panels;
    for (const Compared& each : cases) {
        panels.push_back(panel_of(each, libraries));
    }
    return panels;
}

}  // namespace

std::string plot_script(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
                        const std::filesystem::path& png) {
    return panels_script(panels_of(cases, libraries), png);
}

void draw_plot(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
               const std::filesystem::path& png) {
    draw_panels(panels_of(cases, libraries), png);
}

}  // namespace rb2::bench::compare
