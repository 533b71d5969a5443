#include "osu-style-bench/mpi/world.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rb2::bench {

void check(int code, const char* call) {
    if (code != MPI_SUCCESS) [[unlikely]] {
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fail(rank, fmt::format("{} returned error code {}", call, code).c_str());
    }
}

void fail(int rank, const char* message) {
    std::fputs(fmt::format("rank {}: {}\n", rank, message).c_str(), stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::abort();
}

World::World(int* argc, char*** argv, bool threads) {
    int level = MPI_THREAD_MULTIPLE;
    if (threads)
        check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
    else
        check(MPI_Init(argc, argv), "MPI_Init");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    if (level != MPI_THREAD_MULTIPLE) fail(rank_, "this MPI library does not offer MPI_THREAD_MULTIPLE");
}

World::~World() { MPI_Finalize(); }

double World::reduce(double value, MPI_Op operation) const {
    double result = 0;
    check(MPI_Reduce(&value, &result, 1, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD), "MPI_Reduce");
    return result;
}

}  // namespace rb2::bench
