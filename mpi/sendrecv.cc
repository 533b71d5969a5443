// Send and receive in one call: both are under way at once, so rings and shifts of ranks cannot lock up.

#include "mpi/sendrecv.hpp"

#include <new>

#include "mpi/define.hpp"
#include "mpi/send.hpp"

namespace rb2::mpi {

int give_up_receive(MPI_Request request, int error) {
    RequestObject* const object = find_request(request);
    if (object != nullptr && object->comm != nullptr) {
        pt2pt::Engine& engine = object->comm->engine();
        engine.cancel(*object->operation);
        engine.wait(*object->operation);
        engine.release(object->operation);
        dispose(*object);
    }
    return error;
}

int copy_message(MessageCall& out, Bytes& copy) {
    Data data;
    if (!find_data(out.buffer, out.count, out.datatype, data)) return refuse(Direction::send, out);
    copy.reset(new (std::nothrow) std::byte[data.bytes + 1]);
    if (copy == nullptr)
        return fail(MPI_ERR_NO_MEM, out.function, "no memory for a copy of the message", find_comm(out.comm));
    pack(data, copy.get());
    out.buffer = copy.get();
    out.count = static_cast<std::int64_t>(data.bytes);
    out.datatype = MPI_BYTE;
    return MPI_SUCCESS;
}

namespace {

int sendrecv(const MessageCall& out, const MessageCall& in, void* buffer, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (const int error = start_receive(in, buffer, &request); error != MPI_SUCCESS) return error;
    if (const int error = send<SendMode::standard>(out); error != MPI_SUCCESS)
        return give_up_receive(request, error);
    RequestObject& object = *find_request(request);
    if (!object.complete()) object.comm->engine().wait(*object.operation);
    return finish(in.function, object, request, status);
}

int sendrecv_replace(MessageCall out, const MessageCall& in, void* buffer, MPI_Status* status) {
    Bytes copy;
    if (const int error = copy_message(out, copy); error != MPI_SUCCESS) return error;
    return sendrecv(out, in, buffer, status);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Sendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
               int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
               MPI_Comm comm, MPI_Status* status) {
    return sendrecv({"MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                    {"MPI_Sendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm}, recvbuf, status);
}
RB2_MPI_DEFINE(int, Sendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
               int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
               int recvtag, MPI_Comm comm, MPI_Status* status) {
    return sendrecv({"MPI_Sendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                    {"MPI_Sendrecv_c", recvbuf, recvcount, recvtype, source, recvtag, comm}, recvbuf, status);
}
RB2_MPI_DEFINE(int, Sendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
               int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    return sendrecv_replace({"MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, comm},
                            {"MPI_Sendrecv_replace", buf, count, datatype, source, recvtag, comm}, buf,
                            status);
}
RB2_MPI_DEFINE(int, Sendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
               int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    return sendrecv_replace({"MPI_Sendrecv_replace_c", buf, count, datatype, dest, sendtag, comm},
                            {"MPI_Sendrecv_replace_c", buf, count, datatype, source, recvtag, comm}, buf,
                            status);
}
