// Send/Recv and ring buffers of Table 2, and the order of all its channels.
#include "osu-style-bench/ring/channel_subject.hpp"
#include "runtime/channel/ring_detached_bell.hpp"
#include "runtime/channel/ring_imm.hpp"
#include "runtime/channel/ring_reversed.hpp"
#include "runtime/channel/ring_zeroing.hpp"
#include "runtime/channel/send_recv_bufferless.hpp"
#include "runtime/channel/send_recv_normal.hpp"
#include "runtime/channel/send_recv_shared.hpp"

namespace rb2::bench::study {

void add_channels(std::vector<Subject>& subjects) {
    using namespace rb2::channel;
    subjects.push_back(channel_subject<SendRecvNormal>("send-recv", "Send/Recv, normal"));
    subjects.push_back(channel_subject<SendRecvShared>("send-recv-shared", "Send/Recv, shared receive"));
    subjects.push_back(channel_subject<SendRecvBufferless>("send-recv-bufferless",
                                                           "Send/Recv, bufferless: 4 bytes at a time"));
    subjects.back().unit_bytes = sizeof(SendRecvBufferless::Integer);
    add_write_slots(subjects);
    subjects.push_back(channel_subject<RingDetachedBell>("ring-detached-bell", "ring buffer, detached bell"));
    subjects.push_back(channel_subject<RingImm>("ring-imm", "ring buffer, immediate"));
    subjects.push_back(
        channel_subject<RingZeroing>("ring-zeroing", "ring buffer, inlined bell with zeroing"));
    subjects.push_back(
        channel_subject<RingReversed>("ring-reversed", "ring buffer, inlined bell without zeroing"));
    add_shared_rings(subjects);
    add_read_slots(subjects);
    add_read_rings(subjects);
}

}  // namespace rb2::bench::study
