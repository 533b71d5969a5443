#include "osu-style-bench/ring/channel_link.hpp"
#include "osu-style-bench/ring/loads.hpp"
#include "osu-style-bench/ring/subjects.hpp"
#include "runtime/channel/ring_detached_bell.hpp"
#include "runtime/channel/ring_imm.hpp"
#include "runtime/channel/ring_reversed.hpp"
#include "runtime/channel/ring_zeroing.hpp"
#include "runtime/channel/send_recv_normal.hpp"
#include "runtime/channel/send_recv_shared.hpp"
#include "runtime/channel/write_slot_detached_bell.hpp"
#include "runtime/channel/write_slot_imm.hpp"
#include "runtime/channel/write_slot_inlined_bell.hpp"

namespace rb2::bench::study {
namespace {

/// A channel on both fabrics; the case studies are for rings.
template <class C>
Subject channel_subject(const char* name, const char* summary) {
    return {name,  summary, false, {{0, run_swept<ChannelLink<C, Bare>>, run_swept<ChannelLink<C, Costed>>}},
            false, false};
}

}  // namespace

void add_channels(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(channel_subject<SendRecvNormal>("send-recv", "Send/Recv, normal"));
    subjects.push_back(channel_subject<SendRecvShared>("send-recv-shared", "Send/Recv, shared receive"));
    subjects.push_back(channel_subject<WriteSlotDetachedBell<second::Polled>>("slot-detached-bell",
                                                                              "write slot, detached bell"));
    subjects.push_back(
        channel_subject<WriteSlotInlinedBell>("slot-inlined-bell", "write slot, inlined bell"));
    subjects.push_back(channel_subject<WriteSlotImm>("slot-imm", "write slot, immediate"));
    subjects.push_back(channel_subject<RingDetachedBell>("ring-detached-bell", "ring buffer, detached bell"));
    subjects.push_back(channel_subject<RingImm>("ring-imm", "ring buffer, immediate"));
    subjects.push_back(
        channel_subject<RingZeroing>("ring-zeroing", "ring buffer, inlined bell with zeroing"));
    subjects.push_back(
        channel_subject<RingReversed>("ring-reversed", "ring buffer, inlined bell without zeroing"));
}

}  // namespace rb2::bench::study
