#pragma once
// Virtual topologies: who is whose neighbour in a communicator (MPI 5.0, chapter 8). Ranks are never
// reordered.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mpi.h"

namespace rb2::mpi {

struct Comm;

/// A grid of any number of dimensions; ranks run through the last one first.
struct CartTopology {
    std::vector<int> dims;
    std::vector<bool> periodic;
    std::vector<int> coords;  ///< of this rank

    [[nodiscard]] std::vector<int> coords_of(int rank) const;
    /// Null when a coordinate lies outside of a dimension that is not periodic.
    [[nodiscard]] std::optional<int> rank_of(std::vector<int> at) const;
    /// The rank `steps` further in a dimension, or MPI_PROC_NULL.
    [[nodiscard]] int rank_at(std::size_t dimension, int steps) const;
};

/// Every rank knows the whole graph: the neighbours of rank r end at `index[r]` of `edges`.
struct GraphTopology {
    std::vector<int> index;
    std::vector<int> edges;

    [[nodiscard]] std::vector<int> neighbors_of(int rank) const;
};

/// Every rank knows its own edges. Weights are empty when the graph has none.
struct DistGraphTopology {
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool weighted = false;
};

using Topology = std::variant<CartTopology, GraphTopology, DistGraphTopology>;

/// Of this rank, in the order of the neighbourhood collectives' blocks; MPI_PROC_NULL where there is none.
struct Neighborhood {
    std::vector<int> sources;
    std::vector<int> destinations;
    /// Sources and destinations are pairs: down and up in each dimension. What goes down comes from above.
    bool grid = false;
};
/// Null when the communicator has no topology.
[[nodiscard]] std::optional<Neighborhood> neighborhood_of(const Comm& comm);

/// The communicator and its topology of one kind, for a call that needs it.
template <class Kind>
struct TopologyOf {
    Comm* comm = nullptr;
    const Kind* topology = nullptr;
    int error = MPI_SUCCESS;  ///< already reported; then the others have no meaning
};
/// `kind` is the word for what is missing: "cartesian".
template <class Kind>
[[nodiscard]] TopologyOf<Kind> find_topology(const char* function, MPI_Comm handle, const char* kind);

/// As many values as there are and as the caller has room for.
template <class Values>
void copy_some(const Values& values, int room, int* out) {
    const auto count = std::min<std::size_t>(values.size(), static_cast<std::size_t>(std::max(room, 0)));
    std::copy_n(values.begin(), count, out);
}

/// A communicator of those ranks of `parent` that give a color, with a topology, if this rank gives one.
/// Collective. Returns the error class.
int make_with_topology(const char* function, const Comm& parent, std::optional<int> color, int key,
                       Topology topology, MPI_Comm* newcomm);

}  // namespace rb2::mpi
