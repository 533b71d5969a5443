// Graph topologies that every rank knows as a whole.

#include <fmt/format.h>

#include <utility>

#include "mpi/comm.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/topology.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

std::vector<int> GraphTopology::neighbors_of(int rank) const {
    const auto node = static_cast<std::size_t>(rank);
    const int first = node == 0 ? 0 : index[node - 1];
    return {edges.begin() + first, edges.begin() + index[node]};
}

namespace {

constexpr const char* kGraph = "graph";

int check_graph(const char* function, const Comm& comm, int nnodes, const int* index, const int* edges) {
    const int size = comm.communicator->size();
    if (nnodes < 0 || nnodes > size)
        return fail(MPI_ERR_ARG, function,
                    fmt::format("the graph has {} nodes, but the communicator {} ranks", nnodes, size),
                    &comm);
    if (nnodes > 0 && (index == nullptr || (edges == nullptr && index[nnodes - 1] > 0)))
        return fail(MPI_ERR_ARG, function, "the array of indices or of edges is a null pointer", &comm);
    for (int node = 0, before = 0; node < nnodes; before = index[node++])
        if (index[node] < before)
            return fail(MPI_ERR_ARG, function,
                        fmt::format("index {} is {}, less than {} before it", node, index[node], before),
                        &comm);
    for (int i = 0; nnodes > 0 && i < index[nnodes - 1]; ++i)
        if (edges[i] < 0 || edges[i] >= nnodes)
            return fail(
                MPI_ERR_ARG, function,
                fmt::format("edge {} leads to node {}, which is not in 0 to {}", i, edges[i], nnodes - 1),
                &comm);
    return MPI_SUCCESS;
}

int graph_create(const char* function, MPI_Comm handle, int nnodes, const int* index, const int* edges,
                 MPI_Comm* newcomm) {
    const Comm* const comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    if (const int error = check_graph(function, *comm, nnodes, index, edges); error != MPI_SUCCESS)
        return error;
    GraphTopology graph;
    if (nnodes > 0) {
        graph.index.assign(index, index + nnodes);
        graph.edges.assign(edges, edges + graph.index.back());
    }
    const int rank = comm->communicator->rank();
    const auto color = rank < nnodes ? std::optional<int>(0) : std::nullopt;
    return make_with_topology(function, *comm, color, rank, std::move(graph), newcomm);
}

/// Calls `then(neighbors)` with those of a rank.
template <class Then>
int with_neighbors(const char* function, MPI_Comm handle, int rank, Then then) {
    const auto [comm, graph, error] = find_topology<GraphTopology>(function, handle, kGraph);
    if (error != MPI_SUCCESS) return error;
    if (!comm->communicator->has_rank(rank))
        return fail(MPI_ERR_RANK, function, pt2pt::not_a_rank(*comm->communicator, "rank", rank), comm);
    then(graph->neighbors_of(rank));
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Graph_create, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
               int /*reorder*/, MPI_Comm* comm_graph) {
    return graph_create("MPI_Graph_create", comm_old, nnodes, index, edges, comm_graph);
}

RB2_MPI_DEFINE(int, Graphdims_get, MPI_Comm comm, int* nnodes, int* nedges) {
    const auto found = find_topology<GraphTopology>("MPI_Graphdims_get", comm, kGraph);
    if (found.error != MPI_SUCCESS) return found.error;
    *nnodes = static_cast<int>(found.topology->index.size());
    *nedges = static_cast<int>(found.topology->edges.size());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Graph_get, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
    const auto found = find_topology<GraphTopology>("MPI_Graph_get", comm, kGraph);
    if (found.error != MPI_SUCCESS) return found.error;
    copy_some(found.topology->index, maxindex, index);
    copy_some(found.topology->edges, maxedges, edges);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Graph_neighbors_count, MPI_Comm comm, int rank, int* nneighbors) {
    return with_neighbors("MPI_Graph_neighbors_count", comm, rank, [&](const std::vector<int>& neighbors) {
        *nneighbors = static_cast<int>(neighbors.size());
    });
}

RB2_MPI_DEFINE(int, Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
    return with_neighbors("MPI_Graph_neighbors", comm, rank,
                          [&](const std::vector<int>& found) { copy_some(found, maxneighbors, neighbors); });
}

RB2_MPI_DEFINE(int, Graph_map, MPI_Comm comm, int nnodes, const int index[], const int edges[],
               int* newrank) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Graph_map", comm);
    const int error = check_graph("MPI_Graph_map", *found, nnodes, index, edges);
    if (error != MPI_SUCCESS) return error;
    const int rank = found->communicator->rank();
    *newrank = rank < nnodes ? rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
