// Persistent requests: arguments are checked once, by the _init call; MPI_Start begins the same message
// again.

#include <unordered_map>
#include <utility>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/receive.hpp"
#include "mpi/send.hpp"

namespace rb2::mpi {
namespace {

using Mode = Persistent::Mode;

std::unordered_map<const RequestObject*, Persistent>& plans() {
    static std::unordered_map<const RequestObject*, Persistent> all;
    return all;
}

/// Whether the message can be sent or received as it is; else `error` says why not, and MPI_SUCCESS means
/// that its peer is MPI_PROC_NULL.
bool accepted(const MessageCall& call, Mode mode, AnyMessage& message, int& error) {
    const Direction direction = mode == Mode::receive ? Direction::receive : Direction::send;
    if (accept_any(direction, call, message)) return true;
    error = refuse(direction, call);
    return false;
}

RequestObject::Kind kind_of(Mode mode, bool null) {
    if (mode != Mode::receive) return RequestObject::Kind::send;
    return null ? RequestObject::Kind::null_receive : RequestObject::Kind::receive;
}

/// A handle for an inactive request. The pool must not be empty.
MPI_Request plan(RequestObject::Kind kind, Comm& comm, const Persistent& what) {
    RequestObject& object = take_object(kind, nullptr, comm, what.call.count, what.call.datatype);
    object.persistent = &plans().insert_or_assign(&object, what).first->second;
    return handle_of(object);
}

int prepare(Mode mode, const MessageCall& call, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    AnyMessage message;
    int error = MPI_SUCCESS;
    const bool null = !accepted(call, mode, message, error);
    if (error != MPI_SUCCESS) return error;
    Comm& comm = *find_comm(call.comm);
    if (free_requests == nullptr && !grow_request_pool()) return fail_start(call, comm);
    *request = plan(kind_of(mode, null), comm,
                    {mode, false, null, call, message, datatype::LayoutRef(message.data.layout), nullptr});
    return MPI_SUCCESS;
}

/// The operation of an inactive request; null: complete at once. `error` is the class of what went wrong.
pt2pt::Request* begin(const Persistent& plan, int& error) {
    const AnyMessage& message = plan.message;
    if (plan.null) return nullptr;
    if (plan.mode == Mode::collective) {
        pt2pt::Request* const operation = collective::Execution::start(plan.execution);
        if (operation == nullptr) error = fail_start(plan.call, *message.comm);
        return operation;
    }
    if (plan.mode == Mode::buffered) {
        error = bsend(plan.call, message);
        return nullptr;
    }
    const SendMode mode = plan.mode == Mode::synchronous ? SendMode::synchronous : SendMode::standard;
    pt2pt::Request* const operation = plan.mode == Mode::receive ? begin_receive(message, plan.call.tag)
                                                                 : begin_send(message, plan.call.tag, mode);
    if (operation == nullptr) error = fail_start(plan.call, *message.comm);
    return pt2pt::Engine::is_immediate(operation) ? nullptr : operation;
}

int start(const char* function, MPI_Request request) {
    RequestObject* const object = find_request(request);
    if (object == nullptr) return fail_request(function, request);
    if (object->persistent == nullptr)
        return fail(MPI_ERR_REQUEST, function,
                    "the request is not persistent: only those of the _init calls can be started",
                    object->comm);
    if (object->persistent->active)
        return fail(MPI_ERR_REQUEST, function,
                    "the request is active: complete it before it is started again", object->comm);
    Persistent& plan = *object->persistent;
    plan.call.function = function;
    int error = MPI_SUCCESS;
    object->operation = begin(plan, error);
    plan.active = error == MPI_SUCCESS;
    return error;
}

}  // namespace

int prepare_collective(std::shared_ptr<collective::Execution> execution, Comm& comm, const MessageCall& call,
                       MPI_Request* request) {
    AnyMessage message;
    message.comm = &comm;
    *request = plan(RequestObject::Kind::collective, comm,
                    {Mode::collective, false, false, call, message, {}, std::move(execution)});
    return MPI_SUCCESS;
}

void forget_persistent(RequestObject& object) noexcept {
    object.persistent = nullptr;
    plans().erase(&object);
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Start, MPI_Request* request) { return start("MPI_Start", *request); }

RB2_MPI_DEFINE(int, Startall, int count, MPI_Request array_of_requests[]) {
    if (!accept_array(count, array_of_requests)) return refuse_array("MPI_Startall", count);
    for (int i = 0; i < count; ++i)
        if (const int error = start("MPI_Startall", array_of_requests[i]); error != MPI_SUCCESS) return error;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Send_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::standard, {"MPI_Send_init", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Send_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::standard, {"MPI_Send_init_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Ssend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::synchronous, {"MPI_Ssend_init", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Ssend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::synchronous, {"MPI_Ssend_init_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Rsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::standard, {"MPI_Rsend_init", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Rsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::standard, {"MPI_Rsend_init_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Bsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::buffered, {"MPI_Bsend_init", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Bsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::buffered, {"MPI_Bsend_init_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Recv_init, void* buf, int count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::receive, {"MPI_Recv_init", buf, count, datatype, source, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Recv_init_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return prepare(Mode::receive, {"MPI_Recv_init_c", buf, count, datatype, source, tag, comm}, request);
}
