// Must not compile: an inlined bell has no pointer advancement to batch.
#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/ring/sender.hpp"

using Illegal = rb2::ring::Mix<rb2::ring::head::LazyPush, rb2::ring::tail::InlinedBell,
                               rb2::ring::batching::Adaptive, rb2::ring::placement::InPlace>;
template class rb2::ring::Sender<Illegal, rb2::fabric::shm::Endpoint>;
