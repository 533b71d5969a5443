#pragma once
// What the multi-rank test programs share: start and end, and a check that ends the job with its place.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "mpi.h"

namespace rb2::test {

// Not std::source_location, which Debian 12's clang-tidy does not know.
inline void check(bool good, const char* what, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
    if (good) return;
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s:%d: not so: %s\n", rank, file, line, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/// The library, for the length of main().
class Mpi {
  public:
    Mpi() {
        check(MPI_Init(nullptr, nullptr) == MPI_SUCCESS, "MPI_Init");
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    ~Mpi() { MPI_Finalize(); }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;

    int rank = -1;
    int size = 0;
};

/// The own place in a communicator.
struct Ranks {
    MPI_Comm comm;
    int rank = -1;
    int size = 0;

    explicit Ranks(MPI_Comm of) : comm(of) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
};

/// The world's ranks in reversed order.
class ReversedWorld {
  public:
    explicit ReversedWorld(const Mpi& mpi) { MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi.rank, &comm); }
    ~ReversedWorld() { MPI_Comm_free(&comm); }
    ReversedWorld(const ReversedWorld&) = delete;
    ReversedWorld& operator=(const ReversedWorld&) = delete;

    MPI_Comm comm = MPI_COMM_NULL;
};

/// Bytes that depend on their place and on `seed`.
inline std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
    std::vector<unsigned char> data(bytes);
    std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
    for (unsigned char& byte : data) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        byte = static_cast<unsigned char>(state >> 56);
    }
    return data;
}

/// Whole elements in a status.
inline int count_of(const MPI_Status& status, MPI_Datatype datatype) {
    int count = -1;
    check(MPI_Get_count(&status, datatype, &count) == MPI_SUCCESS, "MPI_Get_count");
    return count;
}

}  // namespace rb2::test
