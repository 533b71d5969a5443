#include "osu-style-bench/ring/channel_subject.hpp"
#include "runtime/channel/write_slot_detached_bell.hpp"
#include "runtime/channel/write_slot_imm.hpp"
#include "runtime/channel/write_slot_inlined_bell.hpp"
#include "runtime/channel/write_slot_reserved.hpp"

namespace rb2::bench::study {

void add_write_slots(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(channel_subject<WriteSlotDetachedBell<second::Polled>>("slot-detached-bell",
                                                                              "write slot, detached bell"));
    subjects.push_back(
        channel_subject<WriteSlotInlinedBell>("slot-inlined-bell", "write slot, inlined bell"));
    subjects.push_back(channel_subject<WriteSlotImm>("slot-imm", "write slot, immediate"));
    subjects.push_back(channel_subject<WriteSlotReserved<delivery::Imm>>("slot-reserved",
                                                                         "write slot, reserved, immediate"));
}

}  // namespace rb2::bench::study
