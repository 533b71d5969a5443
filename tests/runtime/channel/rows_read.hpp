#pragma once
// Shared ring, read slot and read ring channels, each with every second channel that it can have.

#include <tuple>
#include <utility>

#include "runtime/channel/indirect_read.hpp"
#include "runtime/channel/read_ring_detached_bell.hpp"
#include "runtime/channel/read_ring_inlined_bell.hpp"
#include "runtime/channel/read_ring_notify.hpp"
#include "runtime/channel/read_ring_prefetch.hpp"
#include "runtime/channel/read_slot_detached_bell.hpp"
#include "runtime/channel/read_slot_inlined_bell.hpp"
#include "runtime/channel/read_slot_notify.hpp"
#include "runtime/channel/shared_ring_imm.hpp"
#include "runtime/channel/shared_ring_inlined_bell.hpp"

namespace rb2::channel::test {

using SharedRingRows = std::tuple<SharedRingImm, SharedRingInlinedBell>;

using ReadSlotRows =
    std::tuple<ReadSlotDetachedBell, ReadSlotInlinedBell, ReadSlotNotify<MessageNotice>,
               ReadSlotNotify<WordNotice>, IndirectRead<ImmediateAnswer>, IndirectRead<DetachedAnswer>>;

using ReadRingRows = std::tuple<ReadRingDetachedBell, ReadRingInlinedBell, ReadRingNotify<MessageNotice>,
                                ReadRingNotify<WordNotice>>;

/// No row of the table: bells fetched with less than a record of the tests, and with several.
using PrefetchRows = std::tuple<ReadRingPrefetch<64>, ReadRingPrefetch<256>>;

/// All that the reading side's families have.
using ReadRows = decltype(std::tuple_cat(std::declval<SharedRingRows>(), std::declval<ReadSlotRows>(),
                                         std::declval<ReadRingRows>()));

}  // namespace rb2::channel::test
