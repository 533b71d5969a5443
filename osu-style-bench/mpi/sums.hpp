#pragma once
// Floats whose sums over all ranks are exact, for the programs that add.

#include <cstddef>
#include <span>
#include <string>

#include "osu-style-bench/mpi/driver.hpp"

namespace rb2::bench {

inline std::span<float> floats(std::span<std::byte> data) {
    return {reinterpret_cast<float*>(data.data()), data.size() / sizeof(float)};
}

inline int addend(std::size_t place) { return static_cast<int>(place % 1000); }

inline void fill_addends(const Run& run, std::span<float> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(addend(i) + run.world.rank());
}

/// Ends the job unless `in` has the sums over all ranks; `call` names who added.
inline void expect_sums(const Run& run, std::span<const float> in, const char* call) {
    const int ranks = run.world.size();
    for (std::size_t i = 0; i < in.size(); ++i)
        if (in[i] != static_cast<float>(ranks * addend(i) + ranks * (ranks - 1) / 2))
            fail(run.world.rank(), (std::string(call) + " gave a wrong sum").c_str());
}

}  // namespace rb2::bench
