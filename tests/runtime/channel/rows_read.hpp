#pragma once
// Shared ring, read slot and read ring channels, each with every second channel that it can have.

#include <tuple>

#include "runtime/channel/indirect_read.hpp"
#include "runtime/channel/read_ring_detached_bell.hpp"
#include "runtime/channel/read_ring_inlined_bell.hpp"
#include "runtime/channel/read_ring_notify.hpp"
#include "runtime/channel/read_slot_detached_bell.hpp"
#include "runtime/channel/read_slot_inlined_bell.hpp"
#include "runtime/channel/read_slot_notify.hpp"
#include "runtime/channel/shared_ring_imm.hpp"
#include "runtime/channel/shared_ring_inlined_bell.hpp"

namespace rb2::channel::test {

using ReadRows = std::tuple<SharedRingImm, SharedRingInlinedBell, ReadSlotDetachedBell, ReadSlotInlinedBell,
                            ReadSlotNotify<MessageNotice>, ReadSlotNotify<WordNotice>,
                            IndirectRead<ImmediateAnswer>, IndirectRead<DetachedAnswer>, ReadRingDetachedBell,
                            ReadRingInlinedBell, ReadRingNotify<MessageNotice>, ReadRingNotify<WordNotice>>;

}  // namespace rb2::channel::test
