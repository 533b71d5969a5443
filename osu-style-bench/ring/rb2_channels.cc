// rb2_channels: the same for the one-way channels of the protocols paper's Table 2.
#include "osu-style-bench/ring/measure.hpp"

int main(int argc, char** argv) {
    return rb2::bench::study::measure_main(
        argc, argv, {"rb2_channels", "Measures the channels of runtime/channel between threads", {"table2"}});
}
