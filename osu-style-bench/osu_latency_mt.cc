// Latency with threads: one thread asks, several threads of the other rank answer in turn, all with one tag.
// Half the mean round trip. Needs MPI_THREAD_MULTIPLE.
#include <latch>
#include <thread>

#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::PageBuffer;
using rb2::bench::Run;

constexpr int kAsker = 0;
constexpr int kAnswerer = 1;

void ask(const Run& run, std::size_t bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        rb2::bench::send(run.outgoing.first(bytes), kAnswerer);
        rb2::bench::recv(run.incoming.first(bytes), kAnswerer);
    }
}

/// A few questions with data of their own; the answer is the question.
void verify_answers(const Run& run, std::size_t bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        rb2::bench::fill_pattern(run.outgoing.first(bytes), rb2::bench::pattern_seed(kAsker, i));
        ask(run, bytes, 1);
        rb2::bench::expect_pattern(run.incoming.first(bytes), kAsker, kAsker, i);
    }
}

/// Answers `count` questions: thread t of n takes as many as there are numbers t, t + n, t + 2n, ... below
/// it.
void answer(const Run& run, std::size_t bytes, std::size_t count) {
    const auto threads = static_cast<std::size_t>(run.options.threads);
    std::latch all_here(
        static_cast<std::ptrdiff_t>(threads));  // else the first answers all before the last starts
    std::vector<std::jthread> answering;
    for (std::size_t thread = 0; thread < threads; ++thread) {
        answering.emplace_back([=, &all_here] {
            const PageBuffer buffer(bytes);
            all_here.arrive_and_wait();
            for (std::size_t i = thread; i < count; i += threads) {
                rb2::bench::recv(buffer.first(bytes), kAsker);
                rb2::bench::send(buffer.first(bytes), kAsker);
            }
        });
    }
}

std::vector<double> measure(const Run& run, std::size_t bytes) {
    const std::size_t count = iterations_for(run.options, bytes);
    const std::size_t warmup = warmup_for(run.options, bytes);
    const std::size_t verified = run.options.verify ? 2 * static_cast<std::size_t>(run.options.threads) : 0;
    if (run.world.rank() == kAnswerer) {
        answer(run, bytes, verified + warmup + count);
        return {0};
    }
    verify_answers(run, bytes, verified);
    ask(run, bytes, warmup);
    const rb2::bench::Stopwatch watch;
    ask(run, bytes, count);
    return {watch.elapsed_us() / 2 / static_cast<double>(count)};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kLatencyThreads, measure);
}
