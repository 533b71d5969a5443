// Pi by the midpoint rule, summed over the ranks. Build: rb2c++ -std=c++20 pi.cc -o pi   Run: rb2run -n 4
// ./pi
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <rb2/rb2.hpp>
#include <span>

int main() {
    const rb2::Environment rb2;
    const rb2::Communicator& world = rb2.world();

    constexpr int intervals = 1'000'000;
    double pi = 0;
    for (int i = world.rank(); i < intervals; i += world.size()) {
        const double x = (i + 0.5) / intervals;
        pi += 4 / (1 + x * x) / intervals;
    }
    world.allreduce(std::span(&pi, 1), std::plus<>()).or_abort();

    if (world.rank() == 0) std::printf("pi is about %.12f with %d ranks\n", pi, world.size());
    return std::abs(pi - std::numbers::pi) < 1e-9 ? 0 : 1;
}
