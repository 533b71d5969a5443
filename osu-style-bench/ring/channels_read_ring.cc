#include "osu-style-bench/ring/channel_crowd.hpp"
#include "osu-style-bench/ring/channel_subject.hpp"
#include "runtime/channel/read_ring_detached_bell.hpp"
#include "runtime/channel/read_ring_inlined_bell.hpp"
#include "runtime/channel/read_ring_notify.hpp"
#include "runtime/channel/read_ring_prefetch.hpp"

namespace rb2::bench::study {

void add_read_rings(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(
        crowd_subject<ReadRingDetachedBell>("read-ring-detached-bell", "read ring, detached bell"));
    subjects.push_back(
        crowd_subject<ReadRingInlinedBell>("read-ring-inlined-bell", "read ring, inlined bell"));
    subjects.push_back(crowd_subject<ReadRingPrefetch<4096>>(
        "read-ring-prefetch", "read ring, inlined bell, 4 KiB at a time: needs READs in address order"));
    subjects.push_back(
        crowd_subject<ReadRingNotify<MessageNotice>>("read-ring-notify", "read ring, notified by a message"));
}

}  // namespace rb2::bench::study
