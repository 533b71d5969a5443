#include "runtime/memory/critical_size/crossings.hpp"

#include <algorithm>
#include <cmath>

namespace rb2::memory::critical_size {
namespace {

/// Cost of copying over cost of the other way at one size; above 1 registering wins.
struct Ratio {
    double bytes;
    double value;
};

/// Cost at exactly `bytes`; 0 where it was not measured.
double cost(const Curve& curve, std::uint64_t bytes) noexcept {
    const auto at = std::ranges::find(curve, bytes, &Point::bytes);
    return at == curve.end() ? 0 : at->ns;
}

std::vector<Ratio> ratios(const Curves& curves, Buffer buffer, bool with_removal) {
    std::vector<Ratio> result;
    for (const Point& copy : curves.of(Work::copy, buffer)) {
        const double adding = cost(curves.of(Work::add, buffer), copy.bytes);
        const double removing = cost(curves.of(Work::remove, buffer), copy.bytes);
        if (copy.ns <= 0 || adding <= 0 || (with_removal && removing <= 0)) continue;
        result.push_back(
            {static_cast<double>(copy.bytes), copy.ns / (adding + (with_removal ? removing : 0))});
    }
    return result;
}

/// Costs follow powers of the size, so between two measured sizes the ratio is a straight line on logarithmic
/// axes.
std::uint64_t between(const Ratio& below, const Ratio& above) noexcept {
    const double low = std::log(below.value);
    const double high = std::log(above.value);
    const double share = high == low ? 1 : -low / (high - low);
    return static_cast<std::uint64_t>(
        std::llround(std::exp(std::lerp(std::log(below.bytes), std::log(above.bytes), share))));
}

/// From the large end down: a single odd size below must not move the crossing.
std::uint64_t crossing(const std::vector<Ratio>& ratios) noexcept {
    const auto last_below =
        std::find_if(ratios.rbegin(), ratios.rend(), [](const Ratio& r) { return r.value < 1; });
    if (last_below == ratios.rbegin()) return Crossing::kNever;  // also when nothing was measured
    if (last_below == ratios.rend()) return static_cast<std::uint64_t>(ratios.front().bytes);
    return between(*last_below, *std::prev(last_below));
}

}  // namespace

Crossings find_crossings(const Curves& curves) {
    Crossings result;
    for (const Buffer buffer : kBuffers)
        result.of[index_of(buffer)] = {crossing(ratios(curves, buffer, false)),
                                       crossing(ratios(curves, buffer, true))};
    return result;
}

}  // namespace rb2::memory::critical_size
