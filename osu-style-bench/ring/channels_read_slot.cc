#include "osu-style-bench/ring/channel_subject.hpp"
#include "runtime/channel/indirect_read.hpp"
#include "runtime/channel/read_slot_detached_bell.hpp"
#include "runtime/channel/read_slot_inlined_bell.hpp"
#include "runtime/channel/read_slot_notify.hpp"

namespace rb2::bench::study {

void add_read_slots(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(
        channel_subject<ReadSlotDetachedBell>("read-slot-detached-bell", "read slot, detached bell"));
    subjects.push_back(
        channel_subject<ReadSlotInlinedBell>("read-slot-inlined-bell", "read slot, inlined bell"));
    subjects.push_back(channel_subject<ReadSlotNotify<MessageNotice>>("read-slot-notify",
                                                                      "read slot, notified by a message"));
    subjects.push_back(
        channel_subject<IndirectRead<ImmediateAnswer>>("indirect-read", "indirect read, immediate"));
}

}  // namespace rb2::bench::study
