#include "osu-style-bench/ring/verbs_link.hpp"

namespace rb2::bench::study {

rb2::fabric::verbs::Device& verbs_device() {
    static rb2::fabric::verbs::Device device;
    return device;
}

rb2::fabric::verbs::Counters& verbs_tally() {
    static rb2::fabric::verbs::Counters tally;
    return tally;
}

void add_to_tally(const rb2::fabric::verbs::Counters& counters) {
    rb2::fabric::verbs::Counters& tally = verbs_tally();
    tally.requests += counters.requests;
    tally.request_bytes += counters.request_bytes;
    tally.signalled += counters.signalled;
    tally.doorbells += counters.doorbells;
    tally.completions += counters.completions;
    tally.arrivals += counters.arrivals;
}

}  // namespace rb2::bench::study
