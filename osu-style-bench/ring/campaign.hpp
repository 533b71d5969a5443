#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "osu-style-bench/compare/machine.hpp"
#include "osu-style-bench/ring/subject.hpp"

namespace rb2::bench::study {

/// One figure to take: a subject under a job. job.messages of 0: as many as fill the time of Settings.
struct Point {
    const Subject* subject;
    Job job;
};

/// Medians over the rounds. Latencies are round trips, and 0 for one-way loads.
struct Summary {
    double messages_per_second = 0;
    double slowest = 0;  ///< messages per second of the slowest round, and
    double fastest = 0;  ///< of the fastest
    double mean_us = 0;
    double p50_us = 0;
    double p99_us = 0;
    double p999_us = 0;
    double p999_quarter_us = 0;         ///< a quarter of the rounds had at most this
    double p999_three_quarters_us = 0;  ///< and three quarters
};

/// Takes figures so that they can be compared: every byte is checked once before anything is timed, the
/// points of a set follow each other in every round, and each round begins with another.
class Campaign {
  public:
    struct Settings {
        int rounds = 3;
        double seconds = 0.05;  ///< of one measurement whose number of messages is not given
        int attempts = 1;       ///< per measurement while the processors' distance is unusual; 1: never look
        std::function<void()> after_each = [] {};  ///< called after each measurement
    };

    explicit Campaign(Settings settings);

    /// `times`: as many times the usual number of rounds. Throws what Subject::run() throws.
    std::vector<Summary> run(const std::vector<Point>& points, int times = 1);

    [[nodiscard]] int measurements() const { return measurements_; }
    [[nodiscard]] int unsteady() const { return unsteady_; }  ///< of them
    [[nodiscard]] std::optional<double> usual_us() const;

  private:
    [[nodiscard]] Job sized(const Point& point) const;
    Figures measure(const Subject& subject, const Job& job);

    Settings settings_;
    std::optional<compare::Steadiness> steadiness_;
    bool steady_ = true;  ///< when last looked
    int measurements_ = 0;
    int unsteady_ = 0;
};

}  // namespace rb2::bench::study
