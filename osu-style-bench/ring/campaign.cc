#include "osu-style-bench/ring/campaign.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "osu-style-bench/engine/statistics.hpp"

namespace rb2::bench::study {
namespace {

constexpr std::size_t kProofBytes = std::size_t{8} << 20;
constexpr std::uint64_t kProofFewest = 16;
constexpr std::uint64_t kPilotMost = 20'000;
constexpr std::uint64_t kPilotLaps = 2;
constexpr std::uint64_t kFewestLaps = 8;
constexpr std::uint64_t kPilotGrowth = 8;
constexpr double kPilotShare = 0.1;        // of a measurement's time: enough to tell the rate
constexpr std::uint64_t kProofMost = 300;  // more than two laps of the usual ring
constexpr double kMost = 2e7;

/// Messages that may be under way before the receiver has taken one. A stream must be many times as long:
/// what waits in the ring when the clock starts comes for nothing.
std::uint64_t lap_of(const Job& job) {
    if (job.load == Load::exchange || job.load == Load::lookup) return job.window;
    const std::uint64_t by_size = job.shape.most_bytes / std::max<std::size_t>(job.bytes, 1);
    return std::max<std::uint64_t>(std::min(job.shape.messages, by_size), 1);
}

/// Sends a few messages, checks every byte of them, throws if one is wrong.
void prove(const Point& point) {
    Job job = point.job;
    const std::uint64_t by_size = kProofBytes / std::max<std::size_t>({job.bytes, job.reply_bytes, 1});
    const std::uint64_t most = std::min(kProofMost, std::max(by_size, kProofFewest));
    job.messages = job.messages == 0 ? most : std::min(most, job.messages);
    job.warmup = 0;
    job.check = Check::all;
    static_cast<void>(point.subject->run(job));
}

double rate_of(const Figures& figures) { return static_cast<double>(figures.messages) / figures.seconds; }

std::vector<double> all_of(const std::vector<Figures>& rounds, double (*figure)(const Figures&)) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const Figures& round : rounds) values.push_back(figure(round));
    return values;
}

double middle(const std::vector<Figures>& rounds, double (*figure)(const Figures&)) {
    return median(all_of(rounds, figure));
}

template <int PerMille>
double round_trip_at(const Figures& figures) {
    const auto& times = figures.latency_us;
    return times.empty() ? 0 : percentile({times.begin(), times.end()}, PerMille / 1000.0);
}

double mean_round_trip(const Figures& figures) {
    double sum = 0;
    for (const float time : figures.latency_us) sum += time;
    return figures.latency_us.empty() ? 0 : sum / static_cast<double>(figures.latency_us.size());
}

Summary summary_of(const std::vector<Figures>& rounds) {
    const auto [slowest, fastest] = std::ranges::minmax(rounds, {}, rate_of);
    return {.messages_per_second = middle(rounds, rate_of),
            .slowest = rate_of(slowest),
            .fastest = rate_of(fastest),
            .mean_us = middle(rounds, mean_round_trip),
            .p50_us = middle(rounds, round_trip_at<500>),
            .p99_us = middle(rounds, round_trip_at<990>),
            .p999_us = middle(rounds, round_trip_at<999>),
            .p999_quarter_us = percentile(all_of(rounds, round_trip_at<999>), 0.25),
            .p999_three_quarters_us = percentile(all_of(rounds, round_trip_at<999>), 0.75)};
}

}  // namespace

Campaign::Campaign(Settings settings) : settings_(std::move(settings)) {
    if (settings_.attempts > 1) steadiness_.emplace();
}

std::optional<double> Campaign::usual_us() const {
    return steadiness_ ? std::optional(steadiness_->usual_us()) : std::nullopt;
}

std::vector<Summary> Campaign::run(const std::vector<Point>& points, int times) {
    std::vector<Job> jobs;
    for (const Point& point : points) {
        if (point.job.check == Check::stamps) prove(point);
        jobs.push_back(sized(point));
    }
    std::vector<std::vector<Figures>> rounds(points.size());
    for (int round = 0; round < times * settings_.rounds; ++round) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::size_t turn = (i + static_cast<std::size_t>(round)) % points.size();
            rounds[turn].push_back(measure(*points[turn].subject, jobs[turn]));
            settings_.after_each();
        }
    }
    std::vector<Summary> summaries;
    summaries.reserve(rounds.size());
    for (const auto& of_one : rounds) summaries.push_back(summary_of(of_one));
    return summaries;
}

/// The job with a number of messages, estimated by short runs if none is given. They begin with few: how long
/// a message takes is not known, and much longer than usual on a busy machine.
Job Campaign::sized(const Point& point) const {
    Job job = point.job;
    if (job.messages != 0) return job;
    const std::uint64_t lap = lap_of(job);
    Figures pilot;
    for (std::uint64_t count = kPilotLaps * lap; count <= std::max(kPilotMost, kPilotLaps * lap);
         count *= kPilotGrowth) {
        job.messages = count;
        pilot = point.subject->run(job);
        if (pilot.seconds >= kPilotShare * settings_.seconds) break;
    }
    const double rate = rate_of(pilot) / job.pairs;
    job.messages = static_cast<std::uint64_t>(
        std::clamp(rate * settings_.seconds, static_cast<double>(kFewestLaps * lap), kMost));
    job.warmup = std::max(job.messages / 10, lap);
    return job;
}

Figures Campaign::measure(const Subject& subject, const Job& job) {
    ++measurements_;
    for (int attempt = 1;; ++attempt) {
        const bool before = steady_;
        Figures figures = subject.run(job);
        steady_ = !steadiness_ || steadiness_->as_usual();
        if ((before && steady_) || attempt >= settings_.attempts) {
            unsteady_ += before && steady_ ? 0 : 1;
            return figures;
        }
    }
}

}  // namespace rb2::bench::study
