#include "osu-style-bench/compare/plot.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "osu-style-bench/compare/process.hpp"

namespace rb2::bench::compare {
namespace {

constexpr int kPanelWidth = 760;
constexpr int kPanelHeight = 520;
constexpr std::chrono::seconds kPatience{60};

/// A named block of two columns. Size 0 has no place on a logarithmic axis and is left out.
std::string data_block(const Compared& compared, std::size_t library, const std::string& name) {
    std::string text = fmt::format("${} << END\n", name);
    for (const ComparedRow& row : compared.rows) {
        if (row.key > 0 && row.figures[library]) {
            text += fmt::format("{} {}\n", row.key, *row.figures[library]);
        }
    }
    return text + "END\n";
}

bool has_points(const Compared& compared, std::size_t library) {
    for (const ComparedRow& row : compared.rows) {
        if (row.key > 0 && row.figures[library]) {
            return true;
        }
    }
    return false;
}

std::string panel(const Compared& compared, std::size_t number, const std::vector<Library>& libraries) {
    std::string blocks;
    std::string curves;
    for (std::size_t i = 0; i < libraries.size(); ++i) {
        if (has_points(compared, i)) {
            const std::string name = fmt::format("case{}library{}", number, i);
            blocks += data_block(compared, i, name);
            curves += fmt::format("{}${} with linespoints lw 2 pt {} lc {} title '{}'",
                                  curves.empty() ? "" : ", ", name, i + 5, i + 1, libraries[i].label);
        }
    }
    if (curves.empty()) {
        return "";
    }
    return blocks + fmt::format("set title '{}'\nset xlabel '{}'\nset ylabel '{}'\nset key {} top\nplot {}\n",
                                compared.bench.title, compared.bench.key_heading, compared.bench.unit, "left",
                                curves);
}

}  // namespace

std::string plot_script(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
                        const std::filesystem::path& png) {
    const std::size_t columns = cases.size() < 2 ? 1 : 2;
    const std::size_t rows = (cases.size() + columns - 1) / columns;
    std::string script = fmt::format(
        "set terminal pngcairo size {},{}\nset output '{}'\nset logscale x 2\nset logscale y 10\nset grid\n"
        "set multiplot layout {},{}\n",
        kPanelWidth * columns, kPanelHeight * rows, png.string(), rows, columns);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        script += panel(cases[i], i, libraries);
    }
    return script + "unset multiplot\n";
}

void draw_plot(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
               const std::filesystem::path& png) {
    const ScratchDirectory scratch;
    const std::filesystem::path script = scratch / "plot.gp";
    std::ofstream(script) << plot_script(cases, libraries, std::filesystem::absolute(png));
    const Ending ending = run_command({"gnuplot", script.string()}, kPatience, scratch / "output");
    if (!ending.succeeded) {
        throw std::runtime_error(fmt::format("gnuplot: {}\n{}", ending.reason, ending.output));
    }
}

}  // namespace rb2::bench::compare
