// Must not compile: there is no WRITE whose order could be relied on.
#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/ring/sender.hpp"

using Illegal = rb2::ring::Mix<rb2::ring::head::LazyPush, rb2::ring::tail::PollLength,
                               rb2::ring::batching::None, rb2::ring::placement::InPlace>;
template class rb2::ring::Sender<Illegal, rb2::fabric::shm::Endpoint>;
