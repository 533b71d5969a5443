// Crossings of curves that are known exactly.

#include "runtime/memory/critical_size/crossings.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace rb2::memory::critical_size::test {
namespace {

constexpr Buffer kResident{true, false};

Curve curve(const std::function<double(double)>& ns, std::uint64_t most = 64U << 20) {
    Curve points;
    for (std::uint64_t bytes = 4096; bytes <= most; bytes *= 2)
        points.push_back({bytes, ns(static_cast<double>(bytes))});
    return points;
}

/// Copying at 1 ns per 8 bytes; registering at a fixed cost and 1 ns per 64.
Curves typical() {
    Curves curves;
    curves.of(Work::copy, kResident) = curve([](double b) { return b / 8; });
    curves.of(Work::add, kResident) = curve([](double b) { return 20'000 + b / 64; });
    curves.of(Work::remove, kResident) = curve([](double) { return 15'000; });
    return curves;
}

TEST(Crossings, LieWhereTheLinesMeet) {
    const Crossings found = find_crossings(typical());
    // b/8 = 20000 + b/64 at 182857 bytes, b/8 = 35000 + b/64 at 320000; read off straight lines between
    // powers of two.
    EXPECT_NEAR(static_cast<double>(found.at(kResident).registering), 182'857, 6'000);
    EXPECT_NEAR(static_cast<double>(found.at(kResident).reregistering), 320'000, 10'000);
    EXPECT_EQ(found.at({false, false}).registering, Crossing::kNever) << "not measured";
}

TEST(Crossings, OneOddSizeBelowDoesNotMoveThem) {
    Curves curves = typical();
    const Crossing before = find_crossings(curves).at(kResident);
    curves.of(Work::add, kResident)[1].ns = 1;  // at 8 KiB, far too good
    EXPECT_EQ(find_crossings(curves).at(kResident), before);
}

TEST(Crossings, RegisteringThatIsAlwaysOrNeverCheaper) {
    Curves curves = typical();
    curves.of(Work::add, kResident) = curve([](double) { return 1; });
    EXPECT_EQ(find_crossings(curves).at(kResident).registering, 4096U);
    curves.of(Work::add, kResident) = curve([](double b) { return b; });
    EXPECT_EQ(find_crossings(curves).at(kResident).registering, Crossing::kNever);
}

TEST(Crossings, SizesThatCouldNotBeRegisteredDoNotCount) {
    Curves curves = typical();
    curves.of(Work::add, kResident) = curve([](double b) { return 20'000 + b / 64; }, 1U << 20);
    EXPECT_NEAR(static_cast<double>(find_crossings(curves).at(kResident).registering), 182'857, 6'000);
    curves.of(Work::add, kResident) = curve([](double b) { return 20'000 + b / 64; }, 64U << 10);
    EXPECT_EQ(find_crossings(curves).at(kResident).registering, Crossing::kNever);
}

TEST(Crossings, EqualCostsAreACrossing) {
    Curves curves;
    curves.of(Work::copy, kResident) = curve([](double b) { return b; });
    curves.of(Work::add, kResident) = curve([](double b) { return b < 100'000 ? 2 * b : b; });
    EXPECT_EQ(find_crossings(curves).at(kResident).registering, 131'072U);
}

}  // namespace
}  // namespace rb2::memory::critical_size::test
