#include "osu-style-bench/mpi/stream.hpp"

#include <array>
#include <span>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace rb2::bench {
namespace {

using Window = void (*)(const Run& run, const Pair& pair, std::size_t bytes);

std::span<MPI_Request> half(const Run& run, bool second) {
    const auto window = static_cast<std::size_t>(run.options.window);
    return {run.requests.data() + (second ? window : 0), window};
}

void send_window(const Run& run, const Pair& pair, std::size_t bytes) {
    for (MPI_Request& request : half(run, true)) {
        isend(run.outgoing.first(bytes), pair.peer, request);
    }
}

void receive_window(const Run& run, const Pair& pair, std::size_t bytes) {
    for (MPI_Request& request : half(run, false)) {
        irecv(run.incoming.first(bytes), pair.peer, request);
    }
}

void one_way_window(const Run& run, const Pair& pair, std::size_t bytes) {
    std::array<std::byte, 4> answer{};
    if (pair.first) {
        send_window(run, pair, bytes);
        wait_all(half(run, true));
        recv(answer, pair.peer);
    } else {
        receive_window(run, pair, bytes);
        wait_all(half(run, false));
        send(answer, pair.peer);
    }
}

void two_way_window(const Run& run, const Pair& pair, std::size_t bytes) {
    std::array<std::byte, 4> answer{};
    receive_window(run, pair, bytes);
    send_window(run, pair, bytes);
    wait_all(half(run, true));
    wait_all(half(run, false));
    if (pair.first) {
        recv(answer, pair.peer);
    } else {
        send(answer, pair.peer);
    }
}

double stream_seconds(const Run& run, const Pair& pair, std::size_t bytes, Window window) {
    if (run.options.verify) {
        verify_window(run, pair, bytes);
    }
    for (std::size_t i = warmup_for(run.options, bytes); i > 0; --i) {
        window(run, pair, bytes);
    }
    run.world.barrier();
    const Stopwatch watch;
    for (std::size_t i = iterations_for(run.options, bytes); i > 0; --i) {
        window(run, pair, bytes);
    }
    return watch.elapsed_seconds();
}

}  // namespace

double one_way_stream_seconds(const Run& run, const Pair& pair, std::size_t bytes) {
    return stream_seconds(run, pair, bytes, one_way_window);
}

double two_way_stream_seconds(const Run& run, const Pair& pair, std::size_t bytes) {
    return stream_seconds(run, pair, bytes, two_way_window);
}

double streamed_megabytes(const Options& options, std::size_t bytes) {
    return static_cast<double>(bytes) * options.window * static_cast<double>(iterations_for(options, bytes)) /
           1e6;
}

}  // namespace rb2::bench
