// Must not compile: the fake's peer cannot be stored to.
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/receiver.hpp"

template class rb2::ring::Receiver<rb2::ring::mix::Rb2InPlace, rb2::fabric::fake::Endpoint>;
