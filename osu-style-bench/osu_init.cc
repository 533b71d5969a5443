// Start-up: the time MPI_Init takes, over all ranks; run under a clock for the whole job's time.
#include "osu-style-bench/engine/report.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"

namespace {

using namespace rb2::bench;

int run_init(int argc, char** argv, const Spec& spec, Measure) {
    const Parsed parsed = parse_options(spec, argc, argv);
    if (!parsed.options) {
        return answer_without_running(parsed);
    }
    const Stopwatch watch;
    const World world(&argc, &argv);
    const double mine = watch.elapsed_ms();
    const double average = world.mean(mine);
    const double least = world.reduce(mine, MPI_MIN);
    const double most = world.reduce(mine, MPI_MAX);
    if (world.rank() == 0) {
        Report report(spec, *parsed.options, world.size());
        report.begin();
        report.add({static_cast<std::size_t>(world.size()), {average, least, most}});
        report.finish();
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return guarded(kInit, run_init, argc, argv, nullptr); }
