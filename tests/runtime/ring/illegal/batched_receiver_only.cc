// Must not compile: the sender keeps one record.
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/sender.hpp"

using Illegal = rb2::ring::Mix<rb2::ring::head::LazyPush, rb2::ring::tail::WriteTwice,
                               rb2::ring::batching::Fixed, rb2::ring::placement::ReceiverOnly>;
template class rb2::ring::Sender<Illegal, rb2::fabric::fake::Endpoint>;
