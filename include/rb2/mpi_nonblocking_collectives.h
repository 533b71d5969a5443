/* Nonblocking and persistent collectives of the C interface.
 * Part of mpi.h; see rb2/mpi_functions.h.
 */
#ifndef RB2_MPI_NONBLOCKING_COLLECTIVES_H
#define RB2_MPI_NONBLOCKING_COLLECTIVES_H

#include "rb2/mpi_types.h"

/* Nonblocking */
RB2_MPI_FUNCTION(int, Ibarrier, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ibcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Ibcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iexscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iexscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ireduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Igather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Igather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Igatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Igatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 int root, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscatterv, const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iscatterv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Iallgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                 const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ialltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoallw, const void* sendbuf, const int sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ineighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Request* request);

/* Persistent: to be started with MPI_Start */
RB2_MPI_FUNCTION(int, Barrier_init, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Bcast_init, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Bcast_init_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Allreduce_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Allreduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Scan_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Scan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Exscan_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Exscan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_scatter_init, const void* sendbuf, void* recvbuf, const int recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_scatter_init_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_scatter_block_init, const void* sendbuf, void* recvbuf, int recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Reduce_scatter_block_init_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Gather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Gather_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Gatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Gatherv_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 int root, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Scatter_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Scatter_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Scatterv_init, const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Scatterv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Allgather_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Allgatherv_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoall_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoallv_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoallw_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                 const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_allgather_init_c, const void* sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_allgatherv_init_c, const void* sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoall_init_c, const void* sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoallv_init, const void* sendbuf, const int sendcounts[],
                 const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                 const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoallw_init, const void* sendbuf, const int sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
RB2_MPI_FUNCTION(int, Neighbor_alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);

#endif /* RB2_MPI_NONBLOCKING_COLLECTIVES_H */
