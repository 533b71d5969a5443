#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "osu-style-bench/compare/case.hpp"
#include "osu-style-bench/compare/library.hpp"
#include "osu-style-bench/compare/machine.hpp"
#include "osu-style-bench/compare/process.hpp"
#include "osu-style-bench/compare/samples.hpp"

namespace rb2::bench::compare {

/// A start that did not succeed.
struct Failure {
    std::string library;  ///< key
    std::string command;
    std::string reason;
    std::string output;
};

/// Runs the cases: all libraries one after the other within each round, so that a drift of the machine meets
/// them all alike. A start whose surroundings were unsteady is repeated a few times before it is taken as it
/// is.
class Session {
  public:
    struct Settings {
        int rounds;
        std::chrono::seconds timeout;
        int attempts;  ///< at most this many per start; 1 never looks at the steadiness
    };

    /// libraries: those that can be measured, kept by reference.
    Session(const std::vector<Library>& libraries, const Settings& settings);

    /// Figures per library, in their order. Failures are kept and do not end the session.
    std::vector<Samples> run(const Case& bench);

    [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
    [[nodiscard]] int starts() const { return starts_; }
    [[nodiscard]] int unsteady() const { return unsteady_; }
    [[nodiscard]] std::optional<double> usual_us() const;

  private:
    void measure(const Library& library, const Case& bench, const Start& start, Samples& samples);
    Ending run_steadily(const std::vector<std::string>& command);

    const std::vector<Library>& libraries_;
    Settings settings_;
    Site site_ = this_site();
    ScratchDirectory scratch_;
    std::optional<Steadiness> steadiness_;
    std::vector<Failure> failures_;
    int starts_ = 0;
    int unsteady_ = 0;
};

}  // namespace rb2::bench::compare
