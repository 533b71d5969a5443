// rb2_ring: throughput and round trips of every ring there is, RB² and its rivals, between threads.
#include "osu-style-bench/ring/measure.hpp"

int main(int argc, char** argv) {
    return rb2::bench::study::measure_main(
        argc, argv,
        {"rb2_ring", "Measures the rings of rb2, RB² and its rivals, between threads", {"table1"}});
}
