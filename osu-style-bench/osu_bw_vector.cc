// Bandwidth of data with gaps: as osu_bw, but each message is a vector of doubles of which every second one
// is sent, and is received into the same shape. The size is that of the data, without the gaps.
#include <array>

#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pair.hpp"
#include "osu-style-bench/mpi/stream.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace {

using rb2::bench::check;
using rb2::bench::kTag;

constexpr int kStride = 2;  // doubles

/// `bytes` of doubles, each followed by a gap; committed.
class Vector {
  public:
    explicit Vector(std::size_t bytes) {
        check(MPI_Type_vector(static_cast<int>(bytes / sizeof(double)), 1, kStride, MPI_DOUBLE, &type_),
              "MPI_Type_vector");
        check(MPI_Type_commit(&type_), "MPI_Type_commit");
    }
    ~Vector() { MPI_Type_free(&type_); }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;

    [[nodiscard]] MPI_Datatype type() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// One end of the stream: a buffer with gaps, used for all messages, and its datatype.
struct End {
    const rb2::bench::Run& run;
    rb2::bench::Pair pair;
    const rb2::bench::PageBuffer& buffer;
    const Vector& vector;
};

void window(const End& end) {
    std::array<std::byte, 4> answer{};
    const std::span requests(end.run.requests.data(), static_cast<std::size_t>(end.run.options.window));
    void* const data = end.buffer.first(0).data();
    for (MPI_Request& request : requests) {
        if (end.pair.first)
            check(MPI_Isend(data, 1, end.vector.type(), end.pair.peer, kTag, MPI_COMM_WORLD, &request),
                  "MPI_Isend");
        else
            check(MPI_Irecv(data, 1, end.vector.type(), end.pair.peer, kTag, MPI_COMM_WORLD, &request),
                  "MPI_Irecv");
    }
    rb2::bench::wait_all(requests);
    if (end.pair.first)
        rb2::bench::recv(answer, end.pair.peer);
    else
        rb2::bench::send(answer, end.pair.peer);
}

/// One message as a vector, checked as the bytes that it must be.
void verify(const End& end, std::size_t bytes) {
    const auto packed = end.run.incoming.first(bytes);
    auto* const spread = reinterpret_cast<double*>(end.buffer.first(0).data());
    auto* const dense = reinterpret_cast<double*>(packed.data());
    if (end.pair.first) {
        rb2::bench::fill_pattern(packed, rb2::bench::pattern_seed(end.pair.self, 0));
        for (std::size_t i = 0; i < bytes / sizeof(double); ++i) spread[i * kStride] = dense[i];
        check(MPI_Send(spread, 1, end.vector.type(), end.pair.peer, kTag, MPI_COMM_WORLD), "MPI_Send");
    } else {
        check(MPI_Recv(spread, 1, end.vector.type(), end.pair.peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "MPI_Recv");
        for (std::size_t i = 0; i < bytes / sizeof(double); ++i) dense[i] = spread[i * kStride];
        rb2::bench::expect_pattern(packed, end.pair.self, end.pair.peer, 0);
    }
}

std::vector<double> measure(const rb2::bench::Run& run, std::size_t bytes) {
    const rb2::bench::PageBuffer buffer(kStride * bytes);
    const Vector vector(bytes);
    const End end{run, rb2::bench::pair_of(run.world), buffer, vector};
    if (run.options.verify) verify(end, bytes);
    for (std::size_t i = rb2::bench::warmup_for(run.options, bytes); i > 0; --i) window(end);
    run.world.barrier();
    const rb2::bench::Stopwatch watch;
    for (std::size_t i = rb2::bench::iterations_for(run.options, bytes); i > 0; --i) window(end);
    return {rb2::bench::streamed_megabytes(run.options, bytes) / watch.elapsed_seconds()};
}

}  // namespace

int main(int argc, char** argv) {
    return rb2::bench::run_program(argc, argv, rb2::bench::kVectorBandwidth, measure);
}
