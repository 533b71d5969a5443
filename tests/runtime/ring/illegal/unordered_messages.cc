// Must not compile: the tail may land before the slots it covers.
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/sender.hpp"

template class rb2::ring::Sender<rb2::ring::mix::Rb2, rb2::fabric::fake::UnorderedEndpoint>;
