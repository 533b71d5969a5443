// Constructors of parts of arrays (MPI 5.0, sections 5.1.3 and 5.1.4).

#include "datatype/array_maps.hpp"

#include "datatype/checked.hpp"
#include "mpi/datatype/construction.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

using datatype::Distribution;
using datatype::Order;
using datatype::Section;
using datatype::TypeMapPtr;

Order check_order(Construction& call, int order) {
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        call.refuse(MPI_ERR_ARG, fmt::format("the order is {}: use MPI_ORDER_C or MPI_ORDER_FORTRAN", order));
    return order == MPI_ORDER_FORTRAN ? Order::fortran : Order::c;
}

void check_dimensions(Construction& call, int ndims) {
    if (ndims < 0) call.refuse(MPI_ERR_DIMS, fmt::format("the number of dimensions is {}", ndims));
}

void check_section(Construction& call, int dimension, const Section& section) {
    if (section.whole < 1 || section.length < 0 || section.start < 0 || section.length > section.whole ||
        section.start > section.whole - section.length)
        call.refuse(MPI_ERR_ARG, fmt::format("dimension {}: {} elements from {} on are no part of {}",
                                             dimension, section.length, section.start, section.whole));
}

template <class Count>
int subarray(const char* function, Form form, int ndims, const Count* sizes, const Count* subsizes,
             const Count* starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_SUBARRAY, form);
    call.integers({ndims});
    check_dimensions(call, ndims);
    for (const Count* array : {sizes, subsizes, starts}) {
        call.check_array("sizes, subsizes or starts", array, static_cast<std::uint64_t>(ndims));
        for (int i = 0; call.good() && i < ndims; ++i) call.number(array[i]);
    }
    call.integers({order});
    const Order layout = check_order(call, order);
    std::vector<Section> sections;
    for (int i = 0; call.good() && i < ndims; ++i) {
        sections.push_back({sizes[i], subsizes[i], starts[i]});
        check_section(call, i, sections.back());
    }
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return datatype::subarray(sections, layout, part); });
}

/// The run length of one dimension. A block distribution is one run per rank.
std::int64_t run_length(Construction& call, int dimension, int distribution, std::int64_t whole, int argument,
                        int ranks) {
    const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
    if (distribution == MPI_DISTRIBUTE_NONE) {
        if (ranks != 1)
            call.refuse(MPI_ERR_ARG,
                        fmt::format("dimension {} is not distributed, but over {} ranks", dimension, ranks));
        return whole;
    }
    if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC)
        call.refuse(MPI_ERR_ARG,
                    fmt::format("dimension {}: {} is no kind of distribution", dimension, distribution));
    if (!by_default && argument < 1)
        call.refuse(MPI_ERR_ARG,
                    fmt::format("dimension {}: the distribution argument is {}", dimension, argument));
    if (!call.good()) return 1;
    if (distribution == MPI_DISTRIBUTE_CYCLIC) return by_default ? 1 : argument;
    if (by_default) return std::max<std::int64_t>(1, (whole + ranks - 1) / ranks);
    if (static_cast<std::int64_t>(argument) * ranks < whole)
        call.refuse(MPI_ERR_ARG,
                    fmt::format("dimension {}: {} ranks with blocks of {} do not hold {} elements", dimension,
                                ranks, argument, whole));
    return argument;
}

/// The place of `rank` in a grid of ranks, the last dimension counting fastest, whatever the array's order.
std::vector<int> coordinates(int rank, int size, int ndims, const int* psizes) {
    std::vector<int> place;
    for (int i = 0; i < ndims; ++i) {
        size /= psizes[i];
        place.push_back(rank / size);
        rank %= size;
    }
    return place;
}

void check_grid(Construction& call, int size, int rank, int ndims, const int* psizes) {
    if (rank < 0 || rank >= size)
        call.refuse(MPI_ERR_ARG, fmt::format("rank {} is not in 0 to {}", rank, size - 1));
    std::int64_t ranks = 1;
    for (int i = 0; call.good() && i < ndims; ++i) {
        if (psizes[i] < 1) call.refuse(MPI_ERR_ARG, fmt::format("dimension {} has {} ranks", i, psizes[i]));
        ranks *= psizes[i];
        if (ranks > size) break;
    }
    if (call.good() && ranks != size)
        call.refuse(MPI_ERR_ARG, fmt::format("the grid has {} ranks, but the size is {}", ranks, size));
}

template <class Count>
int darray(const char* function, Form form, int size, int rank, int ndims, const Count* gsizes,
           const int* distribs, const int* dargs, const int* psizes, int order, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_DARRAY, form);
    call.integers({size, rank, ndims});
    check_dimensions(call, ndims);
    call.check_array("global sizes", gsizes, static_cast<std::uint64_t>(ndims));
    for (int i = 0; call.good() && i < ndims; ++i) call.number(gsizes[i]);
    for (const int* array : {distribs, dargs, psizes}) {
        call.check_array("distributions, their arguments or grid sizes", array,
                         static_cast<std::uint64_t>(ndims));
        for (int i = 0; call.good() && i < ndims; ++i) call.integers({array[i]});
    }
    call.integers({order});
    const Order layout = check_order(call, order);
    if (call.good()) check_grid(call, size, rank, ndims, psizes);
    std::vector<Distribution> dimensions;
    const std::vector<int> place = call.good() ? coordinates(rank, size, ndims, psizes) : std::vector<int>();
    for (int i = 0; call.good() && i < ndims; ++i) {
        if (gsizes[i] < 1)
            call.refuse(MPI_ERR_ARG, fmt::format("dimension {} has {} elements", i, gsizes[i]));
        const std::int64_t run = run_length(call, i, distribs[i], gsizes[i], dargs[i], psizes[i]);
        dimensions.push_back({gsizes[i], run, psizes[i], place[static_cast<std::size_t>(i)]});
    }
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return datatype::distributed_array(dimensions, layout, part); });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_create_subarray, int ndims, const int array_of_sizes[],
               const int array_of_subsizes[], const int array_of_starts[], int order, MPI_Datatype oldtype,
               MPI_Datatype* newtype) {
    return subarray("MPI_Type_create_subarray", Form::small, ndims, array_of_sizes, array_of_subsizes,
                    array_of_starts, order, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_subarray_c, int ndims, const MPI_Count array_of_sizes[],
               const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order,
               MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return subarray("MPI_Type_create_subarray_c", Form::large, ndims, array_of_sizes, array_of_subsizes,
                    array_of_starts, order, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_darray, int size, int rank, int ndims, const int array_of_gsizes[],
               const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
               int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return darray("MPI_Type_create_darray", Form::small, size, rank, ndims, array_of_gsizes,
                  array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_darray_c, int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
               const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
               int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return darray("MPI_Type_create_darray_c", Form::large, size, rank, ndims, array_of_gsizes,
                  array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype);
}
