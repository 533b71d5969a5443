#include "osu-style-bench/ring/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command/program.hpp"
#include "osu-style-bench/engine/report.hpp"
#include "osu-style-bench/ring/request.hpp"

namespace rb2::bench::study {
namespace {

constexpr unsigned kGiveUpSeconds = 120;    // per measurement, beyond the time it should take,
constexpr unsigned kLongestSeconds = 7200;  // or in all when its messages are given

const char* name_of(Fabric fabric) { return fabric == Fabric::shm ? "shm" : "costed"; }

void list_subjects() {
    for (const Subject& subject : all_subjects()) {
        std::string sizes;
        for (const Variant& variant : subject.variants) {
            if (variant.slot_bytes != 0) sizes += fmt::format(" {}", variant.slot_bytes);
        }
        fmt::print("{:<26}{}{}{}\n", subject.name, subject.summary,
                   sizes.empty() ? "" : fmt::format("; slots of{} bytes", sizes),
                   subject.runs(Fabric::costed, Load::stream) ? "" : "; shm only");
    }
}

/// A bench on a fabric: one table.
class Table {
  public:
    Table(const Bench& bench, Fabric fabric, bool prints) : bench_(bench), fabric_(fabric), prints_(prints) {}

    void head() const {
        say(fmt::format("\n# {}, {}\n{:<10}{:<25}{:>16}{:>14}{:>14}{:>14}", bench_.title, name_of(fabric_),
                        "# Size", "Mix", "messages/s", "slowest", "fastest", "MB/s"));
        say(bench_.one_way ? "\n"
                           : fmt::format("{:>12}{:>12}{:>12}{:>12}\n", "mean (us)", "p50", "p99", "p99.9"));
    }

    void add(const Point& point, const Summary& figures) {
        const double megabytes = figures.messages_per_second * static_cast<double>(point.job.bytes) * 1e-6;
        std::string line = fmt::format("{:<10}{:<25}{:>16.0f}{:>14.0f}{:>14.0f}{:>14.1f}", point.job.bytes,
                                       point.subject->name, figures.messages_per_second, figures.slowest,
                                       figures.fastest, megabytes);
        if (!bench_.one_way) {
            line += fmt::format("{:>12.3f}{:>12.3f}{:>12.3f}{:>12.3f}", figures.mean_us, figures.p50_us,
                                figures.p99_us, figures.p999_us);
        }
        say(line + "\n");
        rows_.push_back(row(point, figures, megabytes));
    }

    [[nodiscard]] nlohmann::json json() const {
        return {{"bench", bench_.name}, {"fabric", name_of(fabric_)}, {"rows", rows_}};
    }

  private:
    void say(const std::string& text) const {
        if (!prints_) return;
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
    }
    [[nodiscard]] nlohmann::json row(const Point& point, const Summary& figures, double megabytes) const {
        nlohmann::json row{{"mix", point.subject->name},
                           {"bytes", point.job.bytes},
                           {"messages_per_second", figures.messages_per_second},
                           {"slowest", figures.slowest},
                           {"fastest", figures.fastest},
                           {"megabytes_per_second", megabytes}};
        if (!bench_.one_way) {
            row.update({{"mean_us", figures.mean_us},
                        {"p50_us", figures.p50_us},
                        {"p99_us", figures.p99_us},
                        {"p999_us", figures.p999_us}});
        }
        return row;
    }

    const Bench& bench_;
    Fabric fabric_;
    bool prints_;
    nlohmann::json rows_ = nlohmann::json::array();
};

std::vector<Point> points_of(const Request& request, const Bench& bench, Fabric fabric,
                             const std::vector<const Subject*>& subjects, std::size_t bytes) {
    std::vector<Point> points;
    for (const Subject* const subject : subjects) {
        if (!subject->runs(fabric, bench.load) || bytes % subject->unit_bytes != 0) continue;
        Job job = job_of(bench, request.job, bytes);
        job.fabric = fabric;
        job.copies = copied(*subject, request.copies);
        points.push_back({subject, job});
    }
    if (points.empty()) {
        throw std::invalid_argument(fmt::format("none of these carries {} of {} bytes on {}; see --list",
                                                bench.name, bytes, name_of(fabric)));
    }
    return points;
}

nlohmann::json run_table(const Request& request, const Bench& bench, Fabric fabric, Campaign& campaign,
                         const std::vector<const Subject*>& subjects) {
    Table table(bench, fabric, request.json_path != "-");
    table.head();
    const std::vector<std::size_t> sizes = bench.bytes != 0 ? std::vector{bench.bytes} : sizes_of(request);
    for (const std::size_t bytes : sizes) {
        const std::vector<Point> points = points_of(request, bench, fabric, subjects, bytes);
        const std::vector<Summary> figures = campaign.run(points);
        for (std::size_t i = 0; i < points.size(); ++i) table.add(points[i], figures[i]);
    }
    return table.json();
}

nlohmann::json parameters_json(const Request& request) {
    const RingShape& shape = request.job.shape;
    const auto& costs = request.job.costs;
    return {{"version", RB2_BENCH_VERSION},
            {"rounds", request.settings.rounds},
            {"pairs", request.job.pairs},
            {"slots", shape.messages},
            {"alpha", shape.alpha},
            {"beta", shape.beta},
            {"gamma", shape.gamma},
            {"costs",
             {{"work_request_ns", costs.work_request_ns},
              {"doorbell_ns", costs.doorbell_ns},
              {"completion_ns", costs.completion_ns},
              {"latency_ns", costs.latency_ns},
              {"gigabits_per_second", costs.gigabits_per_second}}}};
}

void run(const Request& request) {
    static_cast<void>(sizes_of(request));
    const std::vector<const Subject*> subjects = find_subjects(request.mixes);
    std::vector<const Bench*> benches;
    for (const std::string& name : request.benches) benches.push_back(&find_bench(name));
    // A ring that loses a message would be waited for for ever.
    const bool counted = request.job.messages != 0;
    const unsigned limit =
        counted ? kLongestSeconds : kGiveUpSeconds + static_cast<unsigned>(request.settings.seconds) * 10;
    const auto watch = [limit] { ::alarm(limit); };
    watch();
    Campaign::Settings settings = request.settings;
    settings.after_each = watch;
    Campaign campaign(settings);
    nlohmann::json document = parameters_json(request);
    for (const Bench* const bench : benches) {
        for (const Fabric fabric : request.fabrics) {
            document["tables"].push_back(run_table(request, *bench, fabric, campaign, subjects));
        }
    }
    if (!request.json_path.empty()) write_json(document, request.json_path);
}

}  // namespace

int measure_main(int argc, const char* const* argv, const Program& program) {
    CLI::App app(program.purpose, program.name);
    Request request;
    request.mixes = program.mixes;
    app.set_version_flag("-v,--version", fmt::format("{} (rb2) " RB2_BENCH_VERSION, program.name));
    add_options(app, request);
    const auto work = [&] {
        request.lists ? list_subjects() : run(request);
        return EXIT_SUCCESS;
    };
    return command::run(app, argc, argv, work, command::kUsageError);
}

}  // namespace rb2::bench::study
