// Must not compile: the bell may overtake the message.
#include "runtime/channel/ring_detached_bell.hpp"
#include "runtime/fabric/fake/endpoint.hpp"

template class rb2::channel::RingReceiver<rb2::channel::RingDetachedBell,
                                          rb2::fabric::fake::UnorderedEndpoint>;
