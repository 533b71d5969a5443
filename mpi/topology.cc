#include "mpi/topology.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"

namespace rb2::mpi {
namespace {

Neighborhood neighborhood(const CartTopology& cart, int) {
    Neighborhood around;
    around.grid = true;
    for (std::size_t dimension = 0; dimension < cart.dims.size(); ++dimension)
        for (const int step : {-1, 1}) around.sources.push_back(cart.rank_at(dimension, step));
    around.destinations = around.sources;
    return around;
}

Neighborhood neighborhood(const GraphTopology& graph, int rank) {
    const std::vector<int> neighbors = graph.neighbors_of(rank);
    return {neighbors, neighbors, false};
}

Neighborhood neighborhood(const DistGraphTopology& graph, int) {
    return {graph.sources, graph.destinations, false};
}

}  // namespace

std::optional<Neighborhood> neighborhood_of(const Comm& comm) {
    if (comm.topology == nullptr) return std::nullopt;
    const int rank = comm.communicator->rank();
    return std::visit([rank](const auto& topology) { return neighborhood(topology, rank); }, *comm.topology);
}

template <class Kind>
TopologyOf<Kind> find_topology(const char* function, MPI_Comm handle, const char* kind) {
    TopologyOf<Kind> found;
    found.comm = find_comm(handle);
    if (found.comm == nullptr) {
        found.error = fail_comm(function, handle);
        return found;
    }
    if (found.comm->topology != nullptr) found.topology = std::get_if<Kind>(found.comm->topology.get());
    if (found.topology == nullptr)
        found.error = fail(MPI_ERR_TOPOLOGY, function,
                           fmt::format("the communicator has no {} topology", kind), found.comm);
    return found;
}
template TopologyOf<CartTopology> find_topology(const char*, MPI_Comm, const char*);
template TopologyOf<GraphTopology> find_topology(const char*, MPI_Comm, const char*);
template TopologyOf<DistGraphTopology> find_topology(const char*, MPI_Comm, const char*);

int make_with_topology(const char* function, const Comm& parent, std::optional<int> color, int key,
                       Topology topology, MPI_Comm* newcomm) {
    const int error =
        finish_making(function, job()->split(*parent.communicator, color, key), parent, newcomm);
    if (error != MPI_SUCCESS || *newcomm == MPI_COMM_NULL) return error;
    find_comm(*newcomm)->topology = std::make_shared<const Topology>(std::move(topology));
    return MPI_SUCCESS;
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Topo_test, MPI_Comm comm, int* status) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Topo_test", comm);
    constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};  // in the order of the variant
    *status = found->topology == nullptr ? MPI_UNDEFINED : kinds[found->topology->index()];
    return MPI_SUCCESS;
}
