// Must not compile: a WRITE does not store the bell last.
#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/ring/sender.hpp"

using Illegal = rb2::ring::Mix<rb2::ring::head::LazyPush, rb2::ring::tail::InlinedBell,
                               rb2::ring::batching::None, rb2::ring::placement::Mirrored>;
template class rb2::ring::Sender<Illegal, rb2::fabric::shm::Endpoint>;
