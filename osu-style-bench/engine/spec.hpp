#pragma once

#include <cstddef>
#include <string_view>

namespace rb2::bench {

/// How many ranks a program accepts.
enum class RankRule { Two, EvenPairs, AtLeastTwo, Any };

/// Whether a larger or a smaller figure is the better one.
enum class Better { Lower, Higher };

/// What one program of the suite is: its name, its table, the flags it takes and their defaults.
struct Spec {
    std::string_view program;             ///< e.g. "osu_latency"
    std::string_view title;               ///< first line of the output, without the leading "# "
    std::string_view key_column;          ///< heading of the first column, "Size" or "Ranks"
    std::string_view column;              ///< heading of the main figure, with its unit
    std::string_view second_column = {};  ///< second figure, or empty
    RankRule ranks = RankRule::Two;
    Better better = Better::Lower;
    std::size_t min_bytes = 0;
    std::size_t max_bytes = 4UL << 20;
    std::size_t iterations = 10000;      ///< at 8 KiB and below
    std::size_t large_iterations = 200;  ///< never fewer, however large the message
    std::size_t warmup = 200;
    bool has_sizes = true;          ///< takes -m, -i, -l, -x, -c
    bool has_window = false;        ///< takes -W
    bool has_queue = false;         ///< takes -q and -u
    bool has_distribution = false;  ///< takes --dist
    bool has_threads = false;       ///< takes -t, and starts MPI with MPI_THREAD_MULTIPLE
};

inline constexpr Spec kLatency{.program = "osu_latency",
                               .title = "OSU-style MPI Latency Test",
                               .key_column = "Size",
                               .column = "Latency (us)",
                               .has_distribution = true};

inline constexpr Spec kLatencyPosted{.program = "osu_latency_posted",
                                     .title = "OSU-style MPI Latency Test with a long message queue",
                                     .key_column = "Size",
                                     .column = "Latency (us)",
                                     .min_bytes = 8,
                                     .max_bytes = 8,
                                     .iterations = 1000,
                                     .large_iterations = 100,
                                     .warmup = 20,
                                     .has_queue = true,
                                     .has_distribution = true};

inline constexpr Spec kLatencyThreads{.program = "osu_latency_mt",
                                      .title = "OSU-style MPI Multi-threaded Latency Test",
                                      .key_column = "Size",
                                      .column = "Latency (us)",
                                      .iterations = 1000,
                                      .large_iterations = 100,
                                      .warmup = 100,
                                      .has_threads = true};

inline constexpr Spec kMultiLatency{.program = "osu_multi_lat",
                                    .title = "OSU-style MPI Multi Latency Test",
                                    .key_column = "Size",
                                    .column = "Latency (us)",
                                    .ranks = RankRule::EvenPairs};

inline constexpr Spec kBandwidth{.program = "osu_bw",
                                 .title = "OSU-style MPI Bandwidth Test",
                                 .key_column = "Size",
                                 .column = "Bandwidth (MB/s)",
                                 .better = Better::Higher,
                                 .min_bytes = 1,
                                 .iterations = 1000,
                                 .large_iterations = 20,
                                 .warmup = 50,
                                 .has_window = true};

inline constexpr Spec kVectorBandwidth{.program = "osu_bw_vector",
                                       .title = "OSU-style MPI Bandwidth Test of every second double",
                                       .key_column = "Size",
                                       .column = "Bandwidth (MB/s)",
                                       .better = Better::Higher,
                                       .min_bytes = 8,
                                       .iterations = 1000,
                                       .large_iterations = 20,
                                       .warmup = 50,
                                       .has_window = true};

inline constexpr Spec kBiBandwidth{.program = "osu_bibw",
                                   .title = "OSU-style MPI Bi-Directional Bandwidth Test",
                                   .key_column = "Size",
                                   .column = "Bandwidth (MB/s)",
                                   .better = Better::Higher,
                                   .min_bytes = 1,
                                   .iterations = 1000,
                                   .large_iterations = 20,
                                   .warmup = 50,
                                   .has_window = true};

inline constexpr Spec kMessageRate{.program = "osu_mbw_mr",
                                   .title = "OSU-style MPI Multiple Bandwidth / Message Rate Test",
                                   .key_column = "Size",
                                   .column = "MB/s",
                                   .second_column = "Messages/s",
                                   .ranks = RankRule::EvenPairs,
                                   .better = Better::Higher,
                                   .min_bytes = 1,
                                   .iterations = 1000,
                                   .large_iterations = 20,
                                   .warmup = 50,
                                   .has_window = true};

inline constexpr Spec kToken{.program = "osu_token",
                             .title = "OSU-style MPI Token Ring Test",
                             .key_column = "Size",
                             .column = "Per hop (us)",
                             .ranks = RankRule::AtLeastTwo,
                             .min_bytes = 8,
                             .max_bytes = 8,
                             .iterations = 200,
                             .large_iterations = 20,
                             .warmup = 10};

inline constexpr Spec kBarrier{.program = "osu_barrier",
                               .title = "OSU-style MPI Barrier Latency Test",
                               .key_column = "Size",
                               .column = "Avg Latency (us)",
                               .ranks = RankRule::AtLeastTwo,
                               .max_bytes = 0,
                               .iterations = 1000,
                               .large_iterations = 100};

/// One exchange of data among all ranks, by size.
constexpr Spec collective(const char* program, const char* title, std::size_t min_bytes) {
    return {.program = program,
            .title = title,
            .key_column = "Size",
            .column = "Avg Latency (us)",
            .ranks = RankRule::AtLeastTwo,
            .min_bytes = min_bytes,
            .max_bytes = 1UL << 20,
            .iterations = 1000,
            .large_iterations = 100};
}

inline constexpr Spec kBroadcast = collective("osu_bcast", "OSU-style MPI Broadcast Latency Test", 1);
inline constexpr Spec kAllreduce = collective("osu_allreduce", "OSU-style MPI Allreduce Latency Test", 4);
inline constexpr Spec kReduce = collective("osu_reduce", "OSU-style MPI Reduce Latency Test", 4);
inline constexpr Spec kAllgather = collective("osu_allgather", "OSU-style MPI Allgather Latency Test", 1);
inline constexpr Spec kAlltoall = collective("osu_alltoall", "OSU-style MPI All-to-All Latency Test", 1);

inline constexpr Spec kInit{.program = "osu_init",
                            .title = "OSU-style MPI Init Test",
                            .key_column = "Ranks",
                            .column = "Init avg (ms)",
                            .ranks = RankRule::Any,
                            .has_sizes = false};

}  // namespace rb2::bench
