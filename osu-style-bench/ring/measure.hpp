#pragma once

#include <string>
#include <vector>

namespace rb2::bench::study {

/// A program that measures subjects by name.
struct Program {
    const char* name;
    const char* purpose;             ///< one line
    std::vector<std::string> mixes;  ///< measured when none are named
};

/// Reads the command line, measures, prints tables or JSON; returns the exit status. Throws nothing.
int measure_main(int argc, const char* const* argv, const Program& program);

}  // namespace rb2::bench::study
