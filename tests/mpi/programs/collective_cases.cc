#include "tests/mpi/programs/collective_cases.hpp"

#include <algorithm>

namespace rb2::test {
namespace {

/// Uneven blocks: rank r has count + r elements, with a gap of one behind each.
struct Uneven {
    std::vector<int> counts;
    std::vector<int> displs;
    std::vector<int> byte_displs;
    std::vector<MPI_Datatype> types;
    std::size_t end = 0;

    Uneven(int ranks, int count) {
        for (int rank = 0; rank < ranks; ++rank) {
            counts.push_back(count + rank);
            displs.push_back(static_cast<int>(end));
            byte_displs.push_back(static_cast<int>(end * sizeof(long)));
            types.push_back(MPI_LONG);
            end += index(count + rank) + 1;
        }
    }
    /// Gaps as they were; `of(rank)` in the blocks.
    template <class Of>
    [[nodiscard]] Values filled(Of of) const {
        Values values(end, -1);
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            const Values block = of(static_cast<int>(rank));
            std::copy(block.begin(), block.end(), values.begin() + displs[rank]);
        }
        return values;
    }
};

Case barrier(const Ranks& on) {
    const MPI_Comm comm = on.comm;
    return make_case(
        "barrier", on, 0, 0, [=](long*, long*, MPI_Request* request) { return MPI_Ibarrier(comm, request); },
        [=](long*, long*, MPI_Request* request) { return MPI_Barrier_init(comm, MPI_INFO_NULL, request); },
        [](int) { return Values(); });
}

/// In one buffer, which is filled at the root only.
Case bcast(const Ranks& on, int count, int root) {
    auto data = std::make_shared<Values>(index(count));
    return {"bcast",
            [=](int seed) {
                refill(*data, on.rank == root ? row(root, 0, index(count), seed) : Values(index(count), -1));
            },
            [=](MPI_Request* request) {
                return MPI_Ibcast(data->data(), count, MPI_LONG, root, on.comm, request);
            },
            [=](MPI_Request* request) {
                return MPI_Bcast_init(data->data(), count, MPI_LONG, root, on.comm, MPI_INFO_NULL, request);
            },
            [=](int seed) { return *data == row(root, 0, index(count), seed); }};
}

Case gather(const Ranks& on, int n, int root) {
    const std::size_t count = index(n);
    const std::size_t in = on.rank == root ? count * index(on.size) : 0;
    return make_case(
        "gather", on, count, in,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Igather(out, n, MPI_LONG, to, n, MPI_LONG, root, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Gather_init(out, n, MPI_LONG, to, n, MPI_LONG, root, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return on.rank == root ? column(on, 0, count, seed) : Values(); });
}

Case gatherv(const Ranks& on, int n, int root) {
    const Uneven uneven(on.size, n);
    const int own = uneven.counts[index(on.rank)];
    return make_case(
        "gatherv", on, index(own), uneven.end,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Igatherv(out, own, MPI_LONG, to, uneven.counts.data(), uneven.displs.data(), MPI_LONG,
                                root, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Gatherv_init(out, own, MPI_LONG, to, uneven.counts.data(), uneven.displs.data(),
                                    MPI_LONG, root, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) {
            return on.rank != root ? Values(uneven.end, -1) : uneven.filled([&](int rank) {
                return row(rank, 0, index(uneven.counts[index(rank)]), seed);
            });
        });
}

Case scatter(const Ranks& on, int n, int root) {
    const std::size_t count = index(n);
    return make_case(
        "scatter", on, count * index(on.size), count,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iscatter(out, n, MPI_LONG, to, n, MPI_LONG, root, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Scatter_init(out, n, MPI_LONG, to, n, MPI_LONG, root, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return row(root, index(on.rank) * count, count, seed); });
}

Case scatterv(const Ranks& on, int n, int root) {
    const Uneven uneven(on.size, n);
    const int own = uneven.counts[index(on.rank)];
    return make_case(
        "scatterv", on, uneven.end, index(own),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iscatterv(out, uneven.counts.data(), uneven.displs.data(), MPI_LONG, to, own, MPI_LONG,
                                 root, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Scatterv_init(out, uneven.counts.data(), uneven.displs.data(), MPI_LONG, to, own,
                                     MPI_LONG, root, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return row(root, index(uneven.displs[index(on.rank)]), index(own), seed); });
}

Case allgather(const Ranks& on, int n) {
    const std::size_t count = index(n);
    return make_case(
        "allgather", on, count, count * index(on.size),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iallgather(out, n, MPI_LONG, to, n, MPI_LONG, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Allgather_init(out, n, MPI_LONG, to, n, MPI_LONG, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return column(on, 0, count, seed); });
}

Case allgatherv(const Ranks& on, int n) {
    const Uneven uneven(on.size, n);
    const int own = uneven.counts[index(on.rank)];
    return make_case(
        "allgatherv", on, index(own), uneven.end,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iallgatherv(out, own, MPI_LONG, to, uneven.counts.data(), uneven.displs.data(),
                                   MPI_LONG, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Allgatherv_init(out, own, MPI_LONG, to, uneven.counts.data(), uneven.displs.data(),
                                       MPI_LONG, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) {
            return uneven.filled(
                [&](int rank) { return row(rank, 0, index(uneven.counts[index(rank)]), seed); });
        });
}

Case alltoall(const Ranks& on, int n) {
    const std::size_t total = index(n) * index(on.size);
    return make_case(
        "alltoall", on, total, total,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ialltoall(out, n, MPI_LONG, to, n, MPI_LONG, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Alltoall_init(out, n, MPI_LONG, to, n, MPI_LONG, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return column(on, on.rank, index(n), seed); });
}

/// Rank r gives every rank s the first n + s elements of its block at s, and gets n + own from each.
struct Exchanged {
    Uneven out;
    Uneven in;
    Exchanged(const Ranks& on, int n) : out(on.size, n), in(on.size, n) {
        std::fill(in.counts.begin(), in.counts.end(), n + on.rank);
        for (std::size_t rank = 0; rank < in.counts.size(); ++rank) {
            in.displs[rank] = static_cast<int>(rank) * (n + on.rank + 1);
            in.byte_displs[rank] = in.displs[rank] * static_cast<int>(sizeof(long));
        }
        in.end = index(on.size) * index(n + on.rank + 1);
    }
    [[nodiscard]] Values expected(const Ranks& on, int seed) const {
        return in.filled([&](int rank) {
            return row(rank, index(out.displs[index(on.rank)]), index(in.counts[index(rank)]), seed);
        });
    }
};

Case alltoallv(const Ranks& on, int n) {
    const Exchanged of(on, n);
    return make_case(
        "alltoallv", on, of.out.end, of.in.end,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ialltoallv(out, of.out.counts.data(), of.out.displs.data(), MPI_LONG, to,
                                  of.in.counts.data(), of.in.displs.data(), MPI_LONG, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Alltoallv_init(out, of.out.counts.data(), of.out.displs.data(), MPI_LONG, to,
                                      of.in.counts.data(), of.in.displs.data(), MPI_LONG, on.comm,
                                      MPI_INFO_NULL, request);
        },
        [=](int seed) { return of.expected(on, seed); });
}

Case alltoallw(const Ranks& on, int n) {
    const Exchanged of(on, n);
    return make_case(
        "alltoallw", on, of.out.end, of.in.end,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ialltoallw(out, of.out.counts.data(), of.out.byte_displs.data(), of.out.types.data(),
                                  to, of.in.counts.data(), of.in.byte_displs.data(), of.in.types.data(),
                                  on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Alltoallw_init(out, of.out.counts.data(), of.out.byte_displs.data(),
                                      of.out.types.data(), to, of.in.counts.data(), of.in.byte_displs.data(),
                                      of.in.types.data(), on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return of.expected(on, seed); });
}

Case reduce(const Ranks& on, int n, int root) {
    const std::size_t in = on.rank == root ? index(n) : 0;
    return make_case(
        "reduce", on, index(n), in,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ireduce(out, to, n, MPI_LONG, MPI_SUM, root, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Reduce_init(out, to, n, MPI_LONG, MPI_SUM, root, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return sums(on.size, 0, in, seed); });
}

Case allreduce(const Ranks& on, int n) {
    return make_case(
        "allreduce", on, index(n), index(n),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iallreduce(out, to, n, MPI_LONG, MPI_SUM, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Allreduce_init(out, to, n, MPI_LONG, MPI_SUM, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return sums(on.size, 0, index(n), seed); });
}

Case reduce_scatter_block(const Ranks& on, int n) {
    return make_case(
        "reduce_scatter_block", on, index(n) * index(on.size), index(n),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ireduce_scatter_block(out, to, n, MPI_LONG, MPI_SUM, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Reduce_scatter_block_init(out, to, n, MPI_LONG, MPI_SUM, on.comm, MPI_INFO_NULL,
                                                 request);
        },
        [=](int seed) { return sums(on.size, index(on.rank) * index(n), index(n), seed); });
}

Case reduce_scatter(const Ranks& on, int n) {
    std::vector<int> counts;
    std::size_t total = 0;
    std::size_t first = 0;
    for (int rank = 0; rank < on.size; ++rank) {
        if (rank == on.rank) first = total;
        counts.push_back(n + rank);
        total += index(n + rank);
    }
    const std::size_t own = index(n + on.rank);
    return make_case(
        "reduce_scatter", on, total, own,
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Ireduce_scatter(out, to, counts.data(), MPI_LONG, MPI_SUM, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Reduce_scatter_init(out, to, counts.data(), MPI_LONG, MPI_SUM, on.comm, MPI_INFO_NULL,
                                           request);
        },
        [=](int seed) { return sums(on.size, first, own, seed); });
}

Case scan(const Ranks& on, int n) {
    return make_case(
        "scan", on, index(n), index(n),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iscan(out, to, n, MPI_LONG, MPI_SUM, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Scan_init(out, to, n, MPI_LONG, MPI_SUM, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return sums(on.rank + 1, 0, index(n), seed); });
}

Case exscan(const Ranks& on, int n) {
    return make_case(
        "exscan", on, index(n), index(n),
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Iexscan(out, to, n, MPI_LONG, MPI_SUM, on.comm, request);
        },
        [=](long* out, long* to, MPI_Request* request) {
            return MPI_Exscan_init(out, to, n, MPI_LONG, MPI_SUM, on.comm, MPI_INFO_NULL, request);
        },
        [=](int seed) { return on.rank == 0 ? Values(index(n), -1) : sums(on.rank, 0, index(n), seed); });
}

}  // namespace

std::vector<Case> collective_cases(const Ranks& on, int count, int root) {
    return {barrier(on),
            bcast(on, count, root),
            gather(on, count, root),
            gatherv(on, count, root),
            scatter(on, count, root),
            scatterv(on, count, root),
            allgather(on, count),
            allgatherv(on, count),
            alltoall(on, count),
            alltoallv(on, count),
            alltoallw(on, count),
            reduce(on, count, root),
            allreduce(on, count),
            reduce_scatter(on, count),
            reduce_scatter_block(on, count),
            scan(on, count),
            exscan(on, count)};
}

}  // namespace rb2::test
