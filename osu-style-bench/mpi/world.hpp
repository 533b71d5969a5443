#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace rb2::bench {

/// The tag of every timed message; entries left pending on purpose use higher ones.
inline constexpr int kTag = 1;

/// Ends the whole job when an MPI call failed, naming the call. The default MPI error handler does so before
/// we come here; this also covers a library whose handler returns.
void check(int code, const char* call);

/// Prints the message with this rank's number and ends the whole job with status 1.
[[noreturn]] void fail(int rank, const char* message);

/// MPI from initialisation to finalisation, and this process's place in it. One per process, main thread
/// only. With `threads` any thread may call MPI; a library that cannot ends the job.
class World {
  public:
    World(int* argc, char*** argv, bool threads = false);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    void barrier() const { check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

    /// The reduction of one value over all ranks; valid on rank 0 only.
    [[nodiscard]] double reduce(double value, MPI_Op operation) const;
    /// The mean of one value over all ranks; valid on rank 0 only.
    [[nodiscard]] double mean(double value) const { return reduce(value, MPI_SUM) / size_; }

  private:
    int rank_ = 0;
    int size_ = 1;
};

// The calls of the timed loops on whole byte buffers: peer is a rank of MPI_COMM_WORLD, the buffer stays the
// caller's and, for the i-forms, must not be touched until wait_all.

inline void send(std::span<const std::byte> data, int peer, int tag = kTag) {
    check(MPI_Send(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, tag, MPI_COMM_WORLD),
          "MPI_Send");
}

inline void recv(std::span<std::byte> data, int peer, int tag = kTag) {
    check(MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
}

inline void isend(std::span<const std::byte> data, int peer, MPI_Request& request, int tag = kTag) {
    check(
        MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request),
        "MPI_Isend");
}

inline void irecv(std::span<std::byte> data, int peer, MPI_Request& request, int tag = kTag) {
    check(
        MPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request),
        "MPI_Irecv");
}

inline void wait_all(std::span<MPI_Request> requests) {
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
}

}  // namespace rb2::bench
