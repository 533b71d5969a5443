// Cartesian, graph and distributed graph topologies, and the collectives among neighbours.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/mpi/programs/check.hpp"

namespace {

using namespace rb2::test;
using Ints = std::vector<int>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// A value that tells who sent which block to whom.
int letter(int from, int to, int block) { return 10'000 * (from + 1) + 100 * (to + 1) + block; }

/// A grid over all ranks, periodic in the first dimension only.
class Grid {
  public:
    explicit Grid(const Mpi& mpi) {
        check(MPI_Dims_create(mpi.size, 2, dims.data()) == MPI_SUCCESS && dims[0] * dims[1] == mpi.size &&
                  dims[0] >= dims[1],
              "MPI_Dims_create");
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 1, &comm);
        MPI_Comm_rank(comm, &rank);
    }
    ~Grid() { MPI_Comm_free(&comm); }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    std::array<int, 2> dims{};
    std::array<int, 2> periods{1, 0};
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = -1;
};

void grid_knows_its_places(const Grid& grid) {
    int kind = 0;
    int ndims = 0;
    MPI_Topo_test(grid.comm, &kind);
    MPI_Cartdim_get(grid.comm, &ndims);
    check(kind == MPI_CART && ndims == 2, "MPI_Topo_test and MPI_Cartdim_get");
    std::array<int, 2> dims{};
    std::array<int, 2> periods{};
    std::array<int, 2> coords{};
    MPI_Cart_get(grid.comm, 2, dims.data(), periods.data(), coords.data());
    check(dims == grid.dims && periods == grid.periods, "MPI_Cart_get");
    check(grid.rank == coords[0] * dims[1] + coords[1], "ranks run through the last dimension first");
    std::array<int, 2> same{};
    MPI_Cart_coords(grid.comm, grid.rank, 2, same.data());
    check(same == coords, "MPI_Cart_coords");
    const std::array<int, 2> around{coords[0] - 3 * dims[0], coords[1]};
    int rank = -1;
    MPI_Cart_rank(grid.comm, around.data(), &rank);
    check(rank == grid.rank, "MPI_Cart_rank goes around");
    int down = -1;
    int up = -1;
    MPI_Cart_shift(grid.comm, 0, 1, &down, &up);
    check(up == (coords[0] + 1) % dims[0] * dims[1] + coords[1], "MPI_Cart_shift goes around");
    MPI_Cart_shift(grid.comm, 1, 1, &down, &up);
    check(up == (coords[1] + 1 < dims[1] ? grid.rank + 1 : MPI_PROC_NULL), "MPI_Cart_shift at the edge");
    check(down == (coords[1] > 0 ? grid.rank - 1 : MPI_PROC_NULL), "MPI_Cart_shift at the other edge");
}

void grid_is_cut(const Grid& grid) {
    const std::array<int, 2> remain{0, 1};
    MPI_Comm line = MPI_COMM_NULL;
    MPI_Cart_sub(grid.comm, remain.data(), &line);
    int size = 0;
    int rank = -1;
    int ndims = 0;
    MPI_Comm_size(line, &size);
    MPI_Comm_rank(line, &rank);
    MPI_Cartdim_get(line, &ndims);
    check(size == grid.dims[1] && rank == grid.rank % grid.dims[1] && ndims == 1, "MPI_Cart_sub");
    MPI_Comm_free(&line);
    const std::array<int, 2> none{0, 0};
    MPI_Cart_sub(grid.comm, none.data(), &line);
    MPI_Comm_size(line, &size);
    MPI_Cartdim_get(line, &ndims);
    check(size == 1 && ndims == 0, "MPI_Cart_sub to no dimension");
    MPI_Comm_free(&line);
}

void grid_of_some(const Mpi& mpi) {
    const int dims[] = {1};
    const int periods[] = {1};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
    check((comm != MPI_COMM_NULL) == (mpi.rank == 0), "ranks outside of the grid get no communicator");
    int mapped = -1;
    MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &mapped);
    check(mapped == (mpi.rank == 0 ? 0 : MPI_UNDEFINED), "MPI_Cart_map");
    if (comm == MPI_COMM_NULL) return;
    // Both neighbours are the rank itself: what goes down comes from above.
    const int out[] = {1, 2};
    int in[] = {0, 0};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    check(in[0] == 2 && in[1] == 1, "MPI_Neighbor_alltoall with oneself");
    MPI_Comm_free(&comm);
}

/// Down and up in each dimension; the same list for sources and destinations.
std::array<int, 4> around(const Grid& grid) {
    std::array<int, 4> ranks{};
    MPI_Cart_shift(grid.comm, 0, 1, &ranks[0], &ranks[1]);
    MPI_Cart_shift(grid.comm, 1, 1, &ranks[2], &ranks[3]);
    return ranks;
}

void neighbors_of_a_grid(const Grid& grid) {
    const std::array<int, 4> ranks = around(grid);
    Ints out;
    for (int i = 0; i < 4; ++i) out.push_back(letter(grid.rank, ranks[index(i)], i));
    // The neighbour below sent up, which is its block i ^ 1.
    Ints expected;
    for (int i = 0; i < 4; ++i)
        expected.push_back(ranks[index(i)] == MPI_PROC_NULL ? -1 : letter(ranks[index(i)], grid.rank, i ^ 1));
    Ints in(4, -1);
    MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, grid.comm);
    check(in == expected, "MPI_Neighbor_alltoall on a grid");

    std::fill(in.begin(), in.end(), -1);
    MPI_Request request = MPI_REQUEST_NULL;
    const Ints counts(4, 1);
    const Ints displs = {0, 1, 2, 3};
    MPI_Ineighbor_alltoallv(out.data(), counts.data(), displs.data(), MPI_INT, in.data(), counts.data(),
                            displs.data(), MPI_INT, grid.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in == expected, "MPI_Ineighbor_alltoallv on a grid");

    const std::vector<MPI_Aint> bytes = {0, 4, 8, 12};
    const std::vector<MPI_Datatype> types(4, MPI_INT);
    MPI_Neighbor_alltoallw_init(out.data(), counts.data(), bytes.data(), types.data(), in.data(),
                                counts.data(), bytes.data(), types.data(), grid.comm, MPI_INFO_NULL,
                                &request);
    for (int i = 0; i < 3; ++i) {
        std::fill(in.begin(), in.end(), -1);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(in == expected, "MPI_Neighbor_alltoallw_init on a grid");
    }
    MPI_Request_free(&request);

    std::fill(in.begin(), in.end(), -1);
    MPI_Neighbor_allgather(&grid.rank, 1, MPI_INT, in.data(), 1, MPI_INT, grid.comm);
    for (int i = 0; i < 4; ++i)
        check(in[index(i)] == (ranks[index(i)] == MPI_PROC_NULL ? -1 : ranks[index(i)]),
              "MPI_Neighbor_allgather on a grid");
}

/// A star: rank 0 knows all others, and twice the last one.
void graph(const Mpi& mpi) {
    Ints index_of;
    Ints edges;
    for (int rank = 1; rank < mpi.size; ++rank) edges.push_back(rank);
    if (mpi.size > 1) edges.push_back(mpi.size - 1);
    index_of.push_back(static_cast<int>(edges.size()));
    for (int rank = 1; rank < mpi.size; ++rank) {
        edges.push_back(0);
        if (rank == mpi.size - 1) edges.push_back(0);
        index_of.push_back(static_cast<int>(edges.size()));
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Graph_create(MPI_COMM_WORLD, mpi.size, index_of.data(), edges.data(), 0, &comm);
    int nodes = 0;
    int count = 0;
    MPI_Graphdims_get(comm, &nodes, &count);
    check(nodes == mpi.size && count == static_cast<int>(edges.size()), "MPI_Graphdims_get");
    Ints same_index(index_of.size());
    Ints same_edges(edges.size());
    MPI_Graph_get(comm, nodes, count, same_index.data(), same_edges.data());
    check(same_index == index_of && same_edges == edges, "MPI_Graph_get");
    MPI_Graph_neighbors_count(comm, mpi.rank, &count);
    Ints neighbors(index(count));
    MPI_Graph_neighbors(comm, mpi.rank, count, neighbors.data());
    check(mpi.size == 1 || neighbors.front() == (mpi.rank == 0 ? 1 : 0), "MPI_Graph_neighbors");

    // The double edge meets itself in order.
    Ints out;
    Ints expected;
    for (std::size_t i = 0, again = 0; i < neighbors.size(); ++i) {
        again = i > 0 && neighbors[i] == neighbors[i - 1] ? again + 1 : 0;
        out.push_back(letter(mpi.rank, neighbors[i], static_cast<int>(again)));
        expected.push_back(letter(neighbors[i], mpi.rank, static_cast<int>(again)));
    }
    Ints in(out.size());
    MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
    check(in == expected, "MPI_Neighbor_alltoall on a graph");
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    int kind = 0;
    MPI_Topo_test(copy, &kind);
    check(kind == MPI_GRAPH, "a duplicate has the topology");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

/// A ring in one direction; every edge is given by the rank after the next.
void dist_graph(const Mpi& mpi) {
    const int right = (mpi.rank + 1) % mpi.size;
    const int left = (mpi.rank + mpi.size - 1) % mpi.size;
    const int source = (mpi.rank + 2) % mpi.size;
    const int destination = (source + 1) % mpi.size;
    const int one = 1;
    const int weight = 10 * source;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &one, &destination, &weight, MPI_INFO_NULL, 0, &comm);
    int in_degree = 0;
    int out_degree = 0;
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    check(in_degree == 1 && out_degree == 1 && weighted == 1, "MPI_Dist_graph_neighbors_count");
    int from = -1;
    int from_weight = -1;
    int to = -1;
    int to_weight = -1;
    MPI_Dist_graph_neighbors(comm, 1, &from, &from_weight, 1, &to, &to_weight);
    check(from == left && from_weight == 10 * left && to == right && to_weight == 10 * mpi.rank,
          "MPI_Dist_graph_create");
    int got = -1;
    MPI_Neighbor_allgather(&mpi.rank, 1, MPI_INT, &got, 1, MPI_INT, comm);
    check(got == left, "MPI_Neighbor_allgather on a distributed graph");
    MPI_Comm_free(&comm);
}

/// Everybody sends to rank 0 only: most ranks have no source.
void dist_graph_adjacent(const Mpi& mpi) {
    Ints sources;
    for (int rank = 0; mpi.rank == 0 && rank < mpi.size; ++rank) sources.push_back(rank);
    const int root = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                   MPI_UNWEIGHTED, 1, &root, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    int in_degree = 0;
    int out_degree = 0;
    int weighted = 1;
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    check(in_degree == static_cast<int>(sources.size()) && out_degree == 1 && weighted == 0,
          "MPI_Dist_graph_create_adjacent");
    Ints counts;
    Ints displs;
    int end = 0;
    for (const int rank : sources) {
        counts.push_back(rank);
        displs.push_back(end);
        end += rank;
    }
    const Ints out(index(mpi.rank), mpi.rank);
    Ints in(index(end), -1);
    MPI_Neighbor_allgatherv(out.data(), mpi.rank, MPI_INT, in.data(), counts.data(), displs.data(), MPI_INT,
                            comm);
    Ints expected;
    for (const int rank : sources) expected.insert(expected.end(), index(rank), rank);
    check(in == expected, "MPI_Neighbor_allgatherv");
    MPI_Comm_free(&comm);
}

void errors(const Grid& grid) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(grid.comm, MPI_ERRORS_RETURN);
    int word = 0;
    int in = 0;
    check(MPI_Neighbor_alltoall(&word, 1, MPI_INT, &in, 1, MPI_INT, MPI_COMM_WORLD) == MPI_ERR_TOPOLOGY,
          "a neighbour collective without a topology");
    check(MPI_Graphdims_get(grid.comm, &word, &in) == MPI_ERR_TOPOLOGY, "a grid is no graph");
    const int outside[] = {0, grid.dims[1]};
    check(MPI_Cart_rank(grid.comm, outside, &word) == MPI_ERR_ARG, "a place outside of the grid");
    check(MPI_Cart_shift(grid.comm, 2, 1, &word, &in) == MPI_ERR_ARG, "a dimension that is none");
    const int too_large[] = {1'000'000, 1'000'000};
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Cart_create(MPI_COMM_WORLD, 2, too_large, grid.periods.data(), 0, &comm) == MPI_ERR_DIMS,
          "a grid that is too large");
}

}  // namespace

int main() {
    const Mpi mpi;
    {
        const Grid grid(mpi);
        grid_knows_its_places(grid);
        grid_is_cut(grid);
        neighbors_of_a_grid(grid);
        errors(grid);
    }
    grid_of_some(mpi);
    graph(mpi);
    dist_graph(mpi);
    dist_graph_adjacent(mpi);
    return 0;
}
