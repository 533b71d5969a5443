// Probes and matched receives.

#include <fmt/format.h>

#include "mpi/define.hpp"
#include "mpi/receive.hpp"

namespace rb2::mpi {
namespace {

/// What an MPI_Message stands for: a message taken out of matching, until it is received.
struct MessageObject {
    Magic magic = Magic::message;
    Comm* comm = nullptr;  // holds a reference
    pt2pt::Unexpected* unexpected = nullptr;

    ~MessageObject() { magic = Magic::gone; }
};

/// Source, tag and communicator of a probe.
struct Envelope {
    const char* function;
    int source;
    int tag;
    MPI_Comm comm;
};

/// The communicator, when there is something to look for. Else null, and `error` tells: MPI_SUCCESS is
/// MPI_PROC_NULL.
Comm* accept(const Envelope& probe, int& error) {
    const MessageCall call{probe.function, nullptr, 0, MPI_BYTE, probe.source, probe.tag, probe.comm};
    Message message;
    error = MPI_SUCCESS;
    if (accept<Direction::receive>(call, message)) return message.comm;
    error = refuse_envelope(Direction::receive, call);
    return nullptr;
}

int world_source(const Comm& comm, const Envelope& probe) {
    return comm.communicator->world_source(probe.source);
}

int take(const Envelope& probe, Comm& comm, int* flag, MPI_Message* message, MPI_Status* status) {
    pt2pt::MessageInfo info;
    pt2pt::Unexpected* const found =
        comm.engine().improbe(world_source(comm, probe), comm.communicator->context(), probe.tag, &info);
    *flag = found != nullptr ? 1 : 0;
    if (found == nullptr) return MPI_SUCCESS;
    comm.retain();
    *message = reinterpret_cast<MPI_Message>(new MessageObject{Magic::message, &comm, found});
    set_status(status, *comm.communicator, info);
    return MPI_SUCCESS;
}

int improbe(const Envelope& probe, int* flag, MPI_Message* message, MPI_Status* status) {
    int error = MPI_SUCCESS;
    Comm* const comm = accept(probe, error);
    if (comm != nullptr) return take(probe, *comm, flag, message, status);
    if (error != MPI_SUCCESS) return error;
    *flag = 1;
    *message = MPI_MESSAGE_NO_PROC;
    set_null_status(status);
    return MPI_SUCCESS;
}

/// Starts to receive a matched message and uses it up.
int imrecv(const char* function, void* buffer, std::int64_t count, MPI_Datatype datatype,
           MPI_Message* message, MPI_Request* request) {
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        *request = handle_of(shared_requests.null_receive);
        return require_running(function);
    }
    auto* const object = object_behind<MessageObject>(*message, Magic::message);
    if (object == nullptr)
        return fail(MPI_ERR_REQUEST, function,
                    fmt::format("{} is no message of a matched probe", show_handle(*message)));
    Data data;
    if (!find_data(buffer, count, datatype, data))
        return refuse_buffer(function, buffer, count, datatype, object->comm);
    const std::unique_ptr<MessageObject> used(object);
    Comm& comm = *used->comm;
    *message = MPI_MESSAGE_NULL;
    const MessageCall call{function, buffer, count, datatype, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_NULL};
    pt2pt::Request* const operation =
        data.layout != nullptr
            ? comm.engine().imreceive(used->unexpected, scatter(data))
            : comm.engine().imreceive(used->unexpected, std::span(data.memory, data.bytes));
    const int error = start_request(RequestObject::Kind::receive, operation, comm, call, request);
    comm.drop();
    return error;
}

int mrecv(const char* function, void* buffer, std::int64_t count, MPI_Datatype datatype, MPI_Message* message,
          MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = imrecv(function, buffer, count, datatype, message, &request);
    if (error != MPI_SUCCESS) return error;
    RequestObject& object = *find_request(request);
    if (!object.complete()) object.comm->engine().wait(*object.operation);
    return finish(function, object, request, status);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Probe, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const Envelope probe{"MPI_Probe", source, tag, comm};
    int error = MPI_SUCCESS;
    Comm* const found = accept(probe, error);
    if (found == nullptr) {
        if (error == MPI_SUCCESS) set_null_status(status);
        return error;
    }
    rb2::pt2pt::MessageInfo info;
    found->engine().probe(world_source(*found, probe), found->communicator->context(), tag, &info);
    set_status(status, *found->communicator, info);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Iprobe, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    const Envelope probe{"MPI_Iprobe", source, tag, comm};
    int error = MPI_SUCCESS;
    Comm* const found = accept(probe, error);
    *flag = 1;
    if (found == nullptr) {
        if (error == MPI_SUCCESS) set_null_status(status);
        return error;
    }
    rb2::pt2pt::MessageInfo info;
    if (found->engine().iprobe(world_source(*found, probe), found->communicator->context(), tag, &info))
        set_status(status, *found->communicator, info);
    else
        *flag = 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Improbe, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
               MPI_Status* status) {
    return improbe({"MPI_Improbe", source, tag, comm}, flag, message, status);
}

RB2_MPI_DEFINE(int, Mprobe, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    const Envelope probe{"MPI_Mprobe", source, tag, comm};
    int error = MPI_SUCCESS;
    int flag = 0;
    Comm* const found = accept(probe, error);
    if (found == nullptr && error != MPI_SUCCESS) return error;
    // In one turn: what the probe sees is still there for the matched probe that follows.
    if (found != nullptr)
        found->engine().probe(world_source(*found, probe), found->communicator->context(), tag, nullptr);
    return improbe(probe, &flag, message, status);
}

RB2_MPI_DEFINE(int, Imrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Request* request) {
    return imrecv("MPI_Imrecv", buf, count, datatype, message, request);
}
RB2_MPI_DEFINE(int, Imrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Request* request) {
    return imrecv("MPI_Imrecv_c", buf, count, datatype, message, request);
}
RB2_MPI_DEFINE(int, Mrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Status* status) {
    return mrecv("MPI_Mrecv", buf, count, datatype, message, status);
}
RB2_MPI_DEFINE(int, Mrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Status* status) {
    return mrecv("MPI_Mrecv_c", buf, count, datatype, message, status);
}
