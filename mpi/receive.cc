// Receives.

#include "mpi/receive.hpp"

#include "mpi/define.hpp"

namespace rb2::mpi {

int fail_receive(MessageCall call, const Comm& comm, const pt2pt::MessageInfo& info) {
    return fail(message_failure(call, comm, comm.communicator->translate(info)));
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
    return receive({"MPI_Recv", buf, count, datatype, source, tag, comm}, buf, status);
}
RB2_MPI_DEFINE(int, Recv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Status* status) {
    return receive({"MPI_Recv_c", buf, count, datatype, source, tag, comm}, buf, status);
}
RB2_MPI_DEFINE(int, Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return start_receive({"MPI_Irecv", buf, count, datatype, source, tag, comm}, buf, request);
}
RB2_MPI_DEFINE(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return start_receive({"MPI_Irecv_c", buf, count, datatype, source, tag, comm}, buf, request);
}
