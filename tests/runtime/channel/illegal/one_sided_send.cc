// Must not compile: the endpoint has no sends.
#include "runtime/channel/send_recv_normal.hpp"
#include "runtime/fabric/shm/endpoint.hpp"

template class rb2::channel::SendRecvNormal::Receiver<rb2::fabric::shm::Endpoint>;
