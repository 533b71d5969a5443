// Must not compile: the last word of a write may land first.
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/sender.hpp"

using Illegal = rb2::ring::Mix<rb2::ring::head::LazyPush, rb2::ring::tail::PollMessage,
                               rb2::ring::batching::None, rb2::ring::placement::Mirrored>;
template class rb2::ring::Sender<Illegal, rb2::fabric::fake::Endpoint>;
