#pragma once
// What an MPI_Session stands for (MPI 5.0, section 11.3).

#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/errhandler.hpp"

namespace rb2::mpi {

struct Session {
    Magic magic = Magic::session;
    int thread_level = MPI_THREAD_SINGLE;
    HandlerSlot errhandler;

    ~Session() { magic = Magic::gone; }
};

}  // namespace rb2::mpi
