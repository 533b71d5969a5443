// Must not compile: the bell could only be appended by copying the message.
#include "runtime/channel/ring_detached_bell.hpp"
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/fabric/fault/endpoint.hpp"

template class rb2::channel::RingSender<rb2::channel::RingDetachedBell,
                                        rb2::fabric::fault::Endpoint<rb2::fabric::fake::Endpoint>>;
