// Token ring: one message goes round all ranks; the time per hop. With more ranks than cores it shows how
// fast a waiting rank gives up its core to the one that has work.
#include <algorithm>

#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::Run;

void pass_token(const Run& run, std::size_t bytes, std::size_t laps) {
    const int ranks = run.world.size();
    const int next = (run.world.rank() + 1) % ranks;
    const int previous = (run.world.rank() + ranks - 1) % ranks;
    const auto token = run.outgoing.first(bytes);
    for (std::size_t lap = 0; lap < laps; ++lap) {
        if (run.world.rank() == 0) {
            rb2::bench::send(token, next);
            rb2::bench::recv(token, previous);
        } else {
            rb2::bench::recv(token, previous);
            rb2::bench::send(token, next);
        }
    }
}

/// The token of rank 0 must come through all ranks unchanged.
void verify_token(const Run& run, std::size_t bytes) {
    const auto token = run.outgoing.first(bytes);
    std::ranges::fill(token, std::byte{0});
    if (run.world.rank() == 0) {
        rb2::bench::fill_pattern(token, rb2::bench::pattern_seed(0, bytes));
    }
    pass_token(run, bytes, 1);
    rb2::bench::expect_pattern(token, run.world.rank(), 0, bytes);
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    if (run.options.verify) {
        verify_token(run, bytes);
    }
    const std::size_t laps = iterations_for(run.options, bytes);
    pass_token(run, bytes, warmup_for(run.options, bytes));
    const rb2::bench::Stopwatch watch;
    pass_token(run, bytes, laps);
    return {watch.elapsed_us() / static_cast<double>(laps) / run.world.size()};
}

}  // namespace

int main(int argc, char** argv) { return rb2::bench::run_program(argc, argv, rb2::bench::kToken, measure); }
