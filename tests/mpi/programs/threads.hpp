#pragma once
// What the test programs with threads share.

#include <functional>
#include <thread>
#include <vector>

#include "tests/mpi/programs/check.hpp"

namespace rb2::test {

/// The library with MPI_THREAD_MULTIPLE, for the length of main().
class ThreadedMpi {
  public:
    ThreadedMpi() {
        int provided = -1;
        check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS,
              "MPI_Init_thread");
        check(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE is provided");
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    ~ThreadedMpi() { MPI_Finalize(); }
    ThreadedMpi(const ThreadedMpi&) = delete;
    ThreadedMpi& operator=(const ThreadedMpi&) = delete;

    int rank = -1;
    int size = 0;
};

/// Calls `body(thread)` in `count` threads and waits for all.
inline void in_threads(int count, const std::function<void(int)>& body) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < count; ++thread) threads.emplace_back(body, thread);
}

}  // namespace rb2::test
