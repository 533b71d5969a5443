#include "osu-style-bench/limits/limits.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <stdexcept>

#include "osu-style-bench/engine/page_buffer.hpp"

namespace rb2::bench::limits {
namespace {

// How fast the machine is cannot be asserted; that every measurement ends with a sensible figure can.

TEST(Limits, EveryFigureIsPositive) {
    const Processors processors = usable_processors();
    EXPECT_GT(cache_line_one_way_us(processors, 1), 0);
    EXPECT_GT(line_each_way_us(processors, 1), 0);
    EXPECT_GT(slots_per_second(processors, 1), 0);
    EXPECT_GT(futex_wake_us(processors, 1), 0);
    EXPECT_GT(memcpy_gb_per_second(PageBuffer::kPageBytes, 1), 0);
}

TEST(Limits, PipelinedCopyWorksForPartialAndManyChunks) {
    for (const std::size_t bytes : {4096UL, 100000UL, 4UL << 20}) {
        const PipelinedCopy copy = pipelined_copy(usable_processors(), bytes, 1);
        EXPECT_GT(copy.gb_per_second, 0) << bytes;
        EXPECT_GT(copy.one_way_us, 0) << bytes;
    }
}

TEST(RunPinnedPair, BothSidesRunAndThisProcessGetsItsProcessorsBack) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    const Shared<Gate> gate;
    const Processors processors = usable_processors();
    int ran_on = -1;
    run_pinned_pair(
        processors,
        [&] {
            ran_on = ::sched_getcpu();
            gate->meet(Spin(processors));
        },
        [&] { gate->meet(Spin(processors)); });
    EXPECT_EQ(gate->arrived.load(), 2);
    EXPECT_EQ(ran_on, processors.first);
    cpu_set_t after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(RunPinnedPair, AFailingChildIsAnError) {
    EXPECT_THROW(run_pinned_pair(
                     usable_processors(), [] {}, [] { ::_exit(3); }),
                 std::runtime_error);
}

}  // namespace
}  // namespace rb2::bench::limits
