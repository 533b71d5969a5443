#include "osu-style-bench/ring/channel_crowd.hpp"
#include "osu-style-bench/ring/channel_subject.hpp"
#include "runtime/channel/shared_ring_imm.hpp"
#include "runtime/channel/shared_ring_inlined_bell.hpp"

namespace rb2::bench::study {

void add_shared_rings(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(crowd_subject<SharedRingImm>("shared-ring-imm", "shared ring, immediate"));
    subjects.push_back(
        crowd_subject<SharedRingInlinedBell>("shared-ring-inlined-bell", "shared ring, inlined bell"));
}

}  // namespace rb2::bench::study
