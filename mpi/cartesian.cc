// Cartesian topologies.

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/topology.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

std::vector<int> CartTopology::coords_of(int rank) const {
    std::vector<int> at(dims.size());
    for (std::size_t i = dims.size(); i-- > 0; rank /= dims[i]) at[i] = rank % dims[i];
    return at;
}

std::optional<int> CartTopology::rank_of(std::vector<int> at) const {
    int rank = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (periodic[i]) at[i] = (at[i] % dims[i] + dims[i]) % dims[i];
        if (at[i] < 0 || at[i] >= dims[i]) return std::nullopt;
        rank = rank * dims[i] + at[i];
    }
    return rank;
}

int CartTopology::rank_at(std::size_t dimension, int steps) const {
    std::vector<int> at = coords;
    const std::int64_t moved = std::int64_t{at[dimension]} + steps;
    // A step may be larger than an int can move a coordinate.
    const std::int64_t wrapped = periodic[dimension] ? moved % dims[dimension] : moved;
    if (wrapped != static_cast<int>(wrapped)) return MPI_PROC_NULL;
    at[dimension] = static_cast<int>(wrapped);
    return rank_of(std::move(at)).value_or(MPI_PROC_NULL);
}

namespace {

constexpr const char* kCartesian = "cartesian";

/// Ranks that the grid needs, or the error.
int check_grid(const char* function, const Comm& comm, int ndims, const int* dims, const int* periods,
               int& needed) {
    if (ndims < 0)
        return fail(MPI_ERR_DIMS, function, fmt::format("the number of dimensions is {}", ndims), &comm);
    if (ndims > 0 && (dims == nullptr || periods == nullptr))
        return fail(MPI_ERR_ARG, function, "the array of dimensions or of periods is a null pointer", &comm);
    std::int64_t ranks = 1;
    const int size = comm.communicator->size();
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] <= 0)
            return fail(MPI_ERR_DIMS, function, fmt::format("dimension {} has {} ranks", i, dims[i]), &comm);
        ranks *= dims[i];
        if (ranks > size)
            return fail(
                MPI_ERR_DIMS, function,
                fmt::format("the grid needs at least {} ranks, but the communicator has {}", ranks, size),
                &comm);
    }
    needed = static_cast<int>(ranks);
    return MPI_SUCCESS;
}

/// The grid as the rank sees it.
CartTopology grid_at(int rank, int ndims, const int* dims, const int* periods) {
    CartTopology grid;
    grid.dims.assign(dims, dims + ndims);
    for (int i = 0; i < ndims; ++i) grid.periodic.push_back(periods[i] != 0);
    grid.coords = grid.coords_of(rank);
    return grid;
}

int cart_create(const char* function, MPI_Comm handle, int ndims, const int* dims, const int* periods,
                MPI_Comm* newcomm) {
    const Comm* const comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    int needed = 0;
    if (const int error = check_grid(function, *comm, ndims, dims, periods, needed); error != MPI_SUCCESS)
        return error;
    const int rank = comm->communicator->rank();
    const auto color = rank < needed ? std::optional<int>(0) : std::nullopt;
    return make_with_topology(function, *comm, color, rank, grid_at(rank, ndims, dims, periods), newcomm);
}

/// The grid cut along the dimensions that do not remain; ranks with the same place in those stay together.
int cart_sub(const char* function, MPI_Comm handle, const int* remain, MPI_Comm* newcomm) {
    const auto [comm, cart, error] = find_topology<CartTopology>(function, handle, kCartesian);
    if (error != MPI_SUCCESS) return error;
    CartTopology part;
    int color = 0;
    for (std::size_t i = 0; i < cart->dims.size(); ++i) {
        if (remain[i] == 0) {
            color = color * cart->dims[i] + cart->coords[i];
            continue;
        }
        part.dims.push_back(cart->dims[i]);
        part.periodic.push_back(cart->periodic[i]);
        part.coords.push_back(cart->coords[i]);
    }
    const int key = part.rank_of(part.coords).value();
    return make_with_topology(function, *comm, color, key, std::move(part), newcomm);
}

int cart_rank(const char* function, MPI_Comm handle, const int* coords, int* rank) {
    const auto [comm, cart, error] = find_topology<CartTopology>(function, handle, kCartesian);
    if (error != MPI_SUCCESS) return error;
    const std::vector<int> at(coords, coords + cart->dims.size());
    const std::optional<int> found = cart->rank_of(at);
    if (!found)
        return fail(MPI_ERR_ARG, function,
                    fmt::format("({}) lies outside of the grid ({}) in a dimension that is not periodic",
                                fmt::join(at, ", "), fmt::join(cart->dims, ", ")),
                    comm);
    *rank = *found;
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Cart_create, MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
               int /*reorder*/, MPI_Comm* comm_cart) {
    return cart_create("MPI_Cart_create", comm_old, ndims, dims, periods, comm_cart);
}

RB2_MPI_DEFINE(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
    return cart_sub("MPI_Cart_sub", comm, remain_dims, newcomm);
}

RB2_MPI_DEFINE(int, Cartdim_get, MPI_Comm comm, int* ndims) {
    const auto found = find_topology<CartTopology>("MPI_Cartdim_get", comm, kCartesian);
    if (found.error == MPI_SUCCESS) *ndims = static_cast<int>(found.topology->dims.size());
    return found.error;
}

RB2_MPI_DEFINE(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
    const auto found = find_topology<CartTopology>("MPI_Cart_get", comm, kCartesian);
    if (found.error != MPI_SUCCESS) return found.error;
    copy_some(found.topology->dims, maxdims, dims);
    copy_some(found.topology->periodic, maxdims, periods);
    copy_some(found.topology->coords, maxdims, coords);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Cart_rank, MPI_Comm comm, const int coords[], int* rank) {
    return cart_rank("MPI_Cart_rank", comm, coords, rank);
}

RB2_MPI_DEFINE(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[]) {
    const auto found = find_topology<CartTopology>("MPI_Cart_coords", comm, kCartesian);
    if (found.error != MPI_SUCCESS) return found.error;
    if (!found.comm->communicator->has_rank(rank))
        return fail(MPI_ERR_RANK, "MPI_Cart_coords",
                    rb2::pt2pt::not_a_rank(*found.comm->communicator, "rank", rank), found.comm);
    copy_some(found.topology->coords_of(rank), maxdims, coords);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Cart_shift, MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
    const auto [found, cart, error] = find_topology<CartTopology>("MPI_Cart_shift", comm, kCartesian);
    if (error != MPI_SUCCESS) return error;
    if (direction < 0 || static_cast<std::size_t>(direction) >= cart->dims.size())
        return fail(MPI_ERR_ARG, "MPI_Cart_shift",
                    fmt::format("direction {} is none of the {} dimensions, counted from 0", direction,
                                cart->dims.size()),
                    found);
    *rank_source = cart->rank_at(static_cast<std::size_t>(direction), -disp);
    *rank_dest = cart->rank_at(static_cast<std::size_t>(direction), disp);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Cart_map", comm);
    int needed = 0;
    const int error = check_grid("MPI_Cart_map", *found, ndims, dims, periods, needed);
    if (error != MPI_SUCCESS) return error;
    const int rank = found->communicator->rank();
    *newrank = rank < needed ? rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
