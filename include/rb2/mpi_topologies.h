/* Virtual topologies of the C interface.
 * Part of mpi.h; see rb2/mpi_functions.h.
 */
#ifndef RB2_MPI_TOPOLOGIES_H
#define RB2_MPI_TOPOLOGIES_H

#include "rb2/mpi_types.h"

/* Cartesian */
RB2_MPI_FUNCTION(int, Cart_create, MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                 int reorder, MPI_Comm* comm_cart);
RB2_MPI_FUNCTION(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Cartdim_get, MPI_Comm comm, int* ndims);
RB2_MPI_FUNCTION(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
RB2_MPI_FUNCTION(int, Cart_rank, MPI_Comm comm, const int coords[], int* rank);
RB2_MPI_FUNCTION(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[]);
RB2_MPI_FUNCTION(int, Cart_shift, MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest);
RB2_MPI_FUNCTION(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[],
                 int* newrank);
RB2_MPI_FUNCTION(int, Dims_create, int nnodes, int ndims, int dims[]);
RB2_MPI_FUNCTION(int, Topo_test, MPI_Comm comm, int* status);

/* Graphs */
RB2_MPI_FUNCTION(int, Graph_create, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                 int reorder, MPI_Comm* comm_graph);
RB2_MPI_FUNCTION(int, Graphdims_get, MPI_Comm comm, int* nnodes, int* nedges);
RB2_MPI_FUNCTION(int, Graph_get, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]);
RB2_MPI_FUNCTION(int, Graph_neighbors_count, MPI_Comm comm, int rank, int* nneighbors);
RB2_MPI_FUNCTION(int, Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
RB2_MPI_FUNCTION(int, Graph_map, MPI_Comm comm, int nnodes, const int index[], const int edges[],
                 int* newrank);
RB2_MPI_FUNCTION(int, Dist_graph_create, MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                 const int destinations[], const int weights[], MPI_Info info, int reorder,
                 MPI_Comm* comm_dist_graph);
RB2_MPI_FUNCTION(int, Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree, const int sources[],
                 const int sourceweights[], int outdegree, const int destinations[], const int destweights[],
                 MPI_Info info, int reorder, MPI_Comm* comm_dist_graph);
RB2_MPI_FUNCTION(int, Dist_graph_neighbors_count, MPI_Comm comm, int* indegree, int* outdegree,
                 int* weighted);
RB2_MPI_FUNCTION(int, Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[],
                 int sourceweights[], int maxoutdegree, int destinations[], int destweights[]);

#endif /* RB2_MPI_TOPOLOGIES_H */
