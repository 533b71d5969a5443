#pragma once
// Send/Recv, write slot and ring buffer channels, each with every second channel that it can have.

#include <tuple>
#include <utility>

#include "runtime/channel/ring_detached_bell.hpp"
#include "runtime/channel/ring_imm.hpp"
#include "runtime/channel/ring_reversed.hpp"
#include "runtime/channel/ring_zeroing.hpp"
#include "runtime/channel/send_recv_bufferless.hpp"
#include "runtime/channel/send_recv_normal.hpp"
#include "runtime/channel/send_recv_shared.hpp"
#include "runtime/channel/write_slot_detached_bell.hpp"
#include "runtime/channel/write_slot_imm.hpp"
#include "runtime/channel/write_slot_inlined_bell.hpp"
#include "runtime/channel/write_slot_reserved.hpp"

namespace rb2::channel::test {

using SendRecvRows = std::tuple<SendRecvNormal, SendRecvShared, SendRecvBufferless>;

using WriteSlotRows = std::tuple<WriteSlotDetachedBell<second::Polled>,
                                 WriteSlotDetachedBell<second::Notified>, WriteSlotInlinedBell, WriteSlotImm,
                                 WriteSlotReserved<delivery::Imm>, WriteSlotReserved<delivery::InlinedBell>,
                                 WriteSlotReserved<delivery::DetachedBell<second::Polled>>>;

using RingBufferRows = std::tuple<RingDetachedBell, RingImm, RingZeroing, RingReversed>;

/// All that the writing side's families have.
using WriteRows = decltype(std::tuple_cat(std::declval<SendRecvRows>(), std::declval<WriteSlotRows>(),
                                          std::declval<RingBufferRows>()));

}  // namespace rb2::channel::test
