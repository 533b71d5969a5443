/* Collectives of the C interface, blocking.
 * Part of mpi.h; see rb2/mpi_functions.h.
 */
#ifndef RB2_MPI_COLLECTIVES_H
#define RB2_MPI_COLLECTIVES_H

#include "rb2/mpi_types.h"

RB2_MPI_FUNCTION(int, Barrier, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Exscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Reduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Gather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Gatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scatterv, const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Scatterv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                 const MPI_Datatype recvtypes[], MPI_Comm comm);
RB2_MPI_FUNCTION(int, Alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoallw, const void* sendbuf, const int sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Neighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm);

#endif /* RB2_MPI_COLLECTIVES_H */
