// Graph topologies of which every rank knows its own edges.

#include <fmt/format.h>

#include <array>
#include <new>
#include <span>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/topology.hpp"
#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {
namespace {

using collective::Block;

constexpr const char* kDistributedGraph = "distributed graph";

/// Ranks with weights, as the user gave them.
struct Ends {
    int count;
    const int* ranks;
    const int* weights;
};

bool has_weights(const int* weights) { return weights != MPI_UNWEIGHTED; }

int check_ends(const char* function, const Comm& comm, const char* what, const Ends& ends) {
    if (ends.count < 0)
        return fail(MPI_ERR_ARG, function, fmt::format("the number of {}s is {}", what, ends.count), &comm);
    const bool no_weights = ends.weights == nullptr || ends.weights == MPI_WEIGHTS_EMPTY;
    if (ends.count > 0 && (ends.ranks == nullptr || no_weights))
        return fail(MPI_ERR_ARG, function,
                    fmt::format("the array of {0}s or of their weights is missing, but there are {0}s", what),
                    &comm);
    for (int i = 0; i < ends.count; ++i) {
        if (!comm.communicator->has_rank(ends.ranks[i]))
            return fail(MPI_ERR_RANK, function, pt2pt::not_a_rank(*comm.communicator, what, ends.ranks[i]),
                        &comm);
        if (has_weights(ends.weights) && ends.weights[i] < 0)
            return fail(MPI_ERR_ARG, function,
                        fmt::format("weight {} of the {}s is {}", i, what, ends.weights[i]), &comm);
    }
    return MPI_SUCCESS;
}

void take(const Ends& ends, std::vector<int>& ranks, std::vector<int>& weights) {
    ranks.assign(ends.ranks, ends.ranks + ends.count);
    if (has_weights(ends.weights)) weights.assign(ends.weights, ends.weights + ends.count);
}

int create_adjacent(const char* function, MPI_Comm handle, const Ends& in, const Ends& out, MPI_Info info,
                    MPI_Comm* newcomm) {
    const Comm* const comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    if (const int error = check_info(function, info, comm); error != MPI_SUCCESS) return error;
    if (const int error = check_ends(function, *comm, "source", in); error != MPI_SUCCESS) return error;
    if (const int error = check_ends(function, *comm, "destination", out); error != MPI_SUCCESS) return error;
    DistGraphTopology graph;
    graph.weighted = has_weights(in.weights) && has_weights(out.weights);
    take(in, graph.sources, graph.source_weights);
    take(out, graph.destinations, graph.destination_weights);
    return make_with_topology(function, *comm, 0, comm->communicator->rank(), std::move(graph), newcomm);
}

/// What a rank tells one end of an edge of the other.
struct Notice {
    int other;
    int weight;
    int incoming;  ///< the receiver of the notice is the edge's destination
};

/// Notices for each rank, exchanged: those that are for this rank, by who sent them and in their order.
class NoticeBoard {
  public:
    explicit NoticeBoard(pt2pt::Communicator& communicator)
        : communicator_(communicator), out_(static_cast<std::size_t>(communicator.size())) {}

    void post(int to, const Notice& notice) { out_[static_cast<std::size_t>(to)].push_back(notice); }

    Status exchange(std::vector<Notice>& received) {
        std::vector<std::size_t> out_counts;
        for (const std::vector<Notice>& notices : out_) out_counts.push_back(notices.size());
        std::vector<std::size_t> in_counts(out_.size());
        collective::Immediate counting(communicator_);
        collective::alltoall(counting, std::as_bytes(std::span(out_counts)),
                             std::as_writable_bytes(std::span(in_counts)));
        if (const Status status = counting.finish(); status != Status::ok) return status;

        std::vector<Notice> sent;
        for (const std::vector<Notice>& notices : out_)
            sent.insert(sent.end(), notices.begin(), notices.end());
        std::size_t total = 0;
        const std::vector<Block> out_blocks = blocks_of(out_counts, total);
        const std::vector<Block> in_blocks = blocks_of(in_counts, total);
        received.resize(total);
        collective::Immediate steps(communicator_);
        collective::alltoallv(steps, std::as_bytes(std::span(sent)).data(), out_blocks,
                              std::as_writable_bytes(std::span(received)).data(), in_blocks);
        return steps.finish();
    }

  private:
    static std::vector<Block> blocks_of(const std::vector<std::size_t>& counts, std::size_t& total) {
        std::vector<Block> blocks;
        total = 0;
        for (const std::size_t count : counts) {
            blocks.push_back({total * sizeof(Notice), count * sizeof(Notice)});
            total += count;
        }
        return blocks;
    }

    pt2pt::Communicator& communicator_;
    std::vector<std::vector<Notice>> out_;
};

/// Edges that any rank may have given: `degrees[i]` of them leave `sources[i]`.
struct Edges {
    int n;
    const int* sources;
    const int* degrees;
    const int* destinations;
    const int* weights;
};

int check_edges(const char* function, const Comm& comm, const Edges& edges, int& total) {
    const Ends from{edges.n, edges.sources, MPI_UNWEIGHTED};
    if (const int error = check_ends(function, comm, "source", from); error != MPI_SUCCESS) return error;
    if (edges.n > 0 && edges.degrees == nullptr)
        return fail(MPI_ERR_ARG, function, "the array of degrees is a null pointer", &comm);
    total = 0;
    for (int i = 0; i < edges.n; ++i) {
        if (edges.degrees[i] < 0)
            return fail(MPI_ERR_ARG, function, fmt::format("degree {} is {}", i, edges.degrees[i]), &comm);
        total += edges.degrees[i];
    }
    return check_ends(function, comm, "destination", {total, edges.destinations, edges.weights});
}

DistGraphTopology sort_notices(const std::vector<Notice>& notices, bool weighted) {
    DistGraphTopology graph;
    graph.weighted = weighted;
    for (const Notice& notice : notices) {
        const bool in = notice.incoming != 0;
        (in ? graph.sources : graph.destinations).push_back(notice.other);
        if (weighted) (in ? graph.source_weights : graph.destination_weights).push_back(notice.weight);
    }
    return graph;
}

int create(const char* function, MPI_Comm handle, const Edges& edges, MPI_Info info, MPI_Comm* newcomm) {
    const Comm* const comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    if (const int error = check_info(function, info, comm); error != MPI_SUCCESS) return error;
    int total = 0;
    if (const int error = check_edges(function, *comm, edges, total); error != MPI_SUCCESS) return error;
    const bool weighted = has_weights(edges.weights);
    NoticeBoard board(*comm->communicator);
    for (int i = 0, edge = 0; i < edges.n; ++i)
        for (int end = edge + edges.degrees[i]; edge < end; ++edge) {
            const int weight = weighted ? edges.weights[edge] : 0;
            board.post(edges.sources[i], {edges.destinations[edge], weight, 0});
            board.post(edges.destinations[edge], {edges.sources[i], weight, 1});
        }
    std::vector<Notice> notices;
    if (const Status status = board.exchange(notices); status != Status::ok)
        return fail(class_of(status), function, collective_failure(status), comm);
    return make_with_topology(function, *comm, 0, comm->communicator->rank(), sort_notices(notices, weighted),
                              newcomm);
}

int neighbors(const char* function, MPI_Comm handle, const std::array<int, 2>& room,
              const std::array<int*, 2>& ranks, const std::array<int*, 2>& weights) {
    const auto [comm, graph, error] = find_topology<DistGraphTopology>(function, handle, kDistributedGraph);
    if (error != MPI_SUCCESS) return error;
    copy_some(graph->sources, room[0], ranks[0]);
    copy_some(graph->destinations, room[1], ranks[1]);
    if (has_weights(weights[0])) copy_some(graph->source_weights, room[0], weights[0]);
    if (has_weights(weights[1])) copy_some(graph->destination_weights, room[1], weights[1]);
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree, const int sources[],
               const int sourceweights[], int outdegree, const int destinations[], const int destweights[],
               MPI_Info info, int /*reorder*/, MPI_Comm* comm_dist_graph) {
    return create_adjacent("MPI_Dist_graph_create_adjacent", comm_old, {indegree, sources, sourceweights},
                           {outdegree, destinations, destweights}, info, comm_dist_graph);
}

RB2_MPI_DEFINE(int, Dist_graph_create, MPI_Comm comm_old, int n, const int sources[], const int degrees[],
               const int destinations[], const int weights[], MPI_Info info, int /*reorder*/,
               MPI_Comm* comm_dist_graph) {
    return create("MPI_Dist_graph_create", comm_old, {n, sources, degrees, destinations, weights}, info,
                  comm_dist_graph);
}

RB2_MPI_DEFINE(int, Dist_graph_neighbors_count, MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
    const auto found =
        find_topology<DistGraphTopology>("MPI_Dist_graph_neighbors_count", comm, kDistributedGraph);
    if (found.error != MPI_SUCCESS) return found.error;
    *indegree = static_cast<int>(found.topology->sources.size());
    *outdegree = static_cast<int>(found.topology->destinations.size());
    *weighted = found.topology->weighted ? 1 : 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
               int maxoutdegree, int destinations[], int destweights[]) {
    return neighbors("MPI_Dist_graph_neighbors", comm, {maxindegree, maxoutdegree}, {sources, destinations},
                     {sourceweights, destweights});
}
