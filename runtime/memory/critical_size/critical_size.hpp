#pragma once
// The curves and crossings of this host and a device: kept ones, else measured now and kept.

#include <optional>
#include <string>

#include "runtime/memory/critical_size/crossings.hpp"
#include "runtime/memory/critical_size/measure.hpp"
#include "runtime/memory/critical_size/store.hpp"

namespace rb2::memory::critical_size {

struct Result {
    Curves curves;
    Crossings crossings;
    std::string source;  ///< for people: the file they were read from, or "measured now, ..."
};

/// Start-up only: a measurement takes some seconds. Of several ranks on the host that ask at once one
/// measures, and the others wait for its result, at most `patience_s` seconds. `again` measures in any case.
/// A measurement that a limit on locked memory cut short is not kept. Never fails: where nothing can be
/// measured the crossings are the usual ones.
[[nodiscard]] Result critical_size(registration::Registrar& registrar, const std::string& device,
                                   bool again = false, double patience_s = 30, const Plan& plan = {});

/// The kept result, or none.
[[nodiscard]] std::optional<Result> kept_critical_size(const std::string& device);

}  // namespace rb2::memory::critical_size
