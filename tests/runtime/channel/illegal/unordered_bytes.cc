// Must not compile: the bell may land before the message it is appended to.
#include "runtime/channel/write_slot_inlined_bell.hpp"
#include "runtime/fabric/fake/endpoint.hpp"

template class rb2::channel::SlotSender<rb2::channel::WriteSlotInlinedBell, rb2::fabric::fake::Endpoint>;
