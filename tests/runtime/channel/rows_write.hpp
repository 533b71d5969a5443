#pragma once
// Send/Recv, write slot and ring buffer channels, each with every second channel that it can have.

#include <tuple>

#include "runtime/channel/send_recv_bufferless.hpp"
#include "runtime/channel/send_recv_normal.hpp"
#include "runtime/channel/send_recv_shared.hpp"

namespace rb2::channel::test {

using WriteRows = std::tuple<SendRecvNormal, SendRecvShared, SendRecvBufferless>;

}  // namespace rb2::channel::test
