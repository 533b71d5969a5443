#include <fmt/format.h>

#include <stdexcept>

#include "osu-style-bench/ring/traffic.hpp"

namespace rb2::bench::study {

void throw_wrong(std::uint64_t record) {
    throw std::runtime_error(
        fmt::format("record {} is not what was sent: it is lost, repeated, cut or torn", record));
}

}  // namespace rb2::bench::study
