// Must not compile: the message may have been read before the bell that tells of it.
#include "runtime/channel/read_ring_prefetch.hpp"
#include "runtime/fabric/fake/endpoint.hpp"

template class rb2::channel::PullReceiver<
    rb2::channel::ReadRingPrefetch<64>,
    rb2::channel::ReadRingPrefetch<64>::Bell<rb2::fabric::fake::OrderedEndpoint>,
    rb2::fabric::fake::OrderedEndpoint>;
