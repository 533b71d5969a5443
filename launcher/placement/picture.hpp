#pragma once
// The machine drawn with the ranks on its cores, for --report-bindings.

#include <string>

#include "launcher/placement/binding.hpp"

namespace rb2::launcher {

/// One block for each NUMA node, with a column for every core and a line for
/// each of its hardware threads: the ranks bound there ("0-3,8"), "." for none, "x" for a thread outside
/// `allowed`. Lines begin with "rb2run: " and end in a newline. Empty if nobody is bound.
[[nodiscard]] std::string draw_bindings(const topology::Machine& machine, const topology::CpuSet& allowed,
                                        const BindingPlan& plan);

}  // namespace rb2::launcher
