// rb2_tcp: the ring over the TCP fabric beside a plain two-socket program, on the same wire, in turn.

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "command/checks.hpp"
#include "command/program.hpp"
#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/report.hpp"
#include "osu-style-bench/engine/statistics.hpp"
#include "osu-style-bench/tcp/wire.hpp"
#include "runtime/memory/descriptor.hpp"

namespace rb2::bench::tcp {

void enter(const Side& side) {
    if (side.network_namespace.empty()) return;
    const std::string path = "/run/netns/" + side.network_namespace;
    const memory::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || ::setns(file.get(), CLONE_NEWNET) != 0)
        throw std::system_error(errno, std::generic_category(), "entering " + path);
}

}  // namespace rb2::bench::tcp

namespace {

using namespace rb2::bench::tcp;
namespace limits = rb2::bench::limits;

struct Settings {
    std::string first_namespace, second_namespace;
    std::string first_address = "127.0.0.1", second_address = "127.0.0.1";
    int repetitions = 7;
    double scale = 1;  ///< of the rounds
    std::string only;  ///< panels whose name contains this
    std::string json;
};

struct Panel {
    const char* name;
    const char* unit;
    Load load;
    bool higher_is_better;
};

/// The figures of all panels: a one-way time in microseconds, or a rate in MB/s or messages per second.
constexpr Panel kPanels[]{
    {"latency 8 B", "us", {8, 1, 20'000, 2000}, false},
    {"latency 1 KiB", "us", {1024, 1, 10'000, 1000}, false},
    {"rate 8 B, window 64", "M/s", {8, 64, 2000, 200}, true},
    {"bandwidth 64 KiB, window 64", "MB/s", {65'536, 64, 60, 10}, true},
    {"bandwidth 4 MiB, window 8", "MB/s", {4 << 20, 8, 12, 2}, true},
};

double figure(const Panel& panel, double seconds) {
    const double messages = static_cast<double>(panel.load.window) * panel.load.rounds;
    if (!panel.higher_is_better) return seconds * 1e6 / 2 / messages;
    const double rate = messages / seconds * 1e-6;
    return panel.load.bytes == 8 ? rate : rate * static_cast<double>(panel.load.bytes);
}

std::string refuse_address(const std::string& text) {
    return IpAddress::parse(text) ? "" : fmt::format("'{}' is no numeric address", text);
}

std::vector<Panel> chosen_panels(const std::string& only) {
    std::vector<Panel> chosen;
    std::string names;
    for (const Panel& panel : kPanels) {
        if (std::string_view(panel.name).find(only) != std::string_view::npos) chosen.push_back(panel);
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", panel.name);
    }
    if (chosen.empty())
        throw std::invalid_argument(
            fmt::format("--only: no row has '{}' in its name; there are {}", only, names));
    return chosen;
}

/// In turn, so that whatever else the machine does meets all of them.
void measure(const Settings& settings, const Wire& wire, Panel panel, nlohmann::json& document) {
    panel.load.rounds = std::max(1, static_cast<int>(panel.load.rounds * settings.scale));
    const std::function<double()> subjects[]{
        [&] { return plain_seconds(wire, panel.load, false); },
        [&] { return plain_seconds(wire, panel.load, true); },
        [&] { return ring_seconds(wire, panel.load); },
    };
    std::vector<double> figures[3];
    for (int repetition = 0; repetition < settings.repetitions; ++repetition)
        for (std::size_t i = 0; i < 3; ++i) figures[i].push_back(figure(panel, subjects[i]()));
    double medians[3];
    for (std::size_t i = 0; i < 3; ++i) medians[i] = rb2::bench::median(figures[i]);
    const double best =
        panel.higher_is_better ? std::max(medians[0], medians[1]) : std::min(medians[0], medians[1]);
    const double ratio = panel.higher_is_better ? medians[2] / best : best / medians[2];
    if (settings.json != "-") {
        fmt::print("{:<30}{:>14.2f}{:>14.2f}{:>14.2f} {:<6}{:>8.2f}\n", panel.name, medians[0], medians[1],
                   medians[2], panel.unit, ratio);
        std::fflush(stdout);
    }
    document.push_back({{"panel", panel.name},
                        {"unit", panel.unit},
                        {"plain_blocking", figures[0]},
                        {"plain_spinning", figures[1]},
                        {"ring", figures[2]},
                        {"ratio", ratio}});
}

void run(const Settings& settings) {
    const std::vector<Panel> panels = chosen_panels(settings.only);
    const Wire wire{{settings.first_namespace, IpAddress::parse(settings.first_address).value()},
                    {settings.second_namespace, IpAddress::parse(settings.second_address).value()},
                    limits::usable_processors()};
    enter(wire.first);
    nlohmann::json document = nlohmann::json::array();
    if (settings.json != "-") {
        fmt::print(
            "# TCP between {} and {}, processors {} and {}, median of {}; ratio to the better plain "
            "program\n",
            settings.first_address, settings.second_address, wire.processors.first, wire.processors.second,
            settings.repetitions);
        fmt::print("{:<30}{:>14}{:>14}{:>14} {:<6}{:>8}\n", "#", "blocking", "spinning", "ring", "", "ratio");
    }
    for (const Panel& panel : panels) measure(settings, wire, panel, document);
    if (!settings.json.empty()) rb2::bench::write_json(document, settings.json);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures the ring over TCP beside a plain two-socket program", "rb2_tcp");
    Settings settings;
    app.set_version_flag("-v,--version", "rb2_tcp (rb2) " RB2_BENCH_VERSION);
    app.add_option("--first-namespace", settings.first_namespace, "network namespace of the first side");
    app.add_option("--second-namespace", settings.second_namespace, "network namespace of the second side");
    app.add_option("--first-address", settings.first_address, "its address")
        ->check(refuse_address)
        ->capture_default_str();
    app.add_option("--second-address", settings.second_address, "its address")
        ->check(refuse_address)
        ->capture_default_str();
    app.add_option("-r,--repetitions", settings.repetitions, "repetitions of which the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--scale", settings.scale, "multiplies the length of each repetition")
        ->check(CLI::Range(0.001, 1000.0))
        ->capture_default_str();
    app.add_option("--only", settings.only, "measures only the rows whose name contains this");
    app.add_option("--json", settings.json, "write the results as JSON to this file, - for standard output")
        ->check(rb2::command::writable_file());
    const auto work = [&] {
        ::alarm(600);  // should the second side die, the first would wait for ever
        run(settings);
        return EXIT_SUCCESS;
    };
    return rb2::command::run(app, argc, argv, work, rb2::command::kUsageError);
}
