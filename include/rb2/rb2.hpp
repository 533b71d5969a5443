#pragma once
// The C++ interface of rb2.
//
//     rb2::Environment rb2;
//     const rb2::Communicator& world = rb2.world();
//     if (world.rank() == 0) world.send(std::array{1, 2, 3}, 1).or_abort();
//
// Calls return rb2::Result: look at it, or let or_abort() end the job with the error's text.

#include "rb2/buffers.hpp"
#include "rb2/communicator.hpp"
#include "rb2/constants.hpp"
#include "rb2/environment.hpp"
#include "rb2/in_place.hpp"
#include "rb2/recv_status.hpp"
#include "rb2/reduction.hpp"
#include "rb2/request.hpp"
#include "rb2/result.hpp"
