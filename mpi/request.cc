#include "mpi/request.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

using RequestBlock = std::array<RequestObject, 256>;

std::vector<std::unique_ptr<RequestBlock>>& blocks() {
    static std::vector<std::unique_ptr<RequestBlock>> all;
    return all;
}

}  // namespace

bool grow_request_pool() noexcept {
    try {
        blocks().push_back(std::make_unique<RequestBlock>());
    } catch (const std::bad_alloc&) {
        return false;
    }
    for (RequestObject& object : *blocks().back()) {
        object.next_free = free_requests;
        free_requests = &object;
    }
    return true;
}

int fail_start(MessageCall call, const Comm& comm) {
    return fail(message_failure(call, comm, {call.peer, call.tag, 0, Status::out_of_memory, false}));
}

int refuse_start(Direction direction, MessageCall call, MPI_Request* request) {
    const int error = refuse(direction, call);
    *request = MPI_REQUEST_NULL;
    if (error == MPI_SUCCESS)
        *request = handle_of(direction == Direction::send ? shared_requests.complete_send
                                                          : shared_requests.null_receive);
    return error;
}

namespace {

bool is_collective(const RequestObject& object) noexcept {
    return object.kind == RequestObject::Kind::collective;
}

/// Reports the failed operation and gives it back; the object stays.
int fail_operation(const char* function, RequestObject& object) {
    const pt2pt::MessageInfo info = object.comm->communicator->translate(object.operation->info());
    Comm& comm = *object.comm;
    const MessageCall call{function,    nullptr,  object.count, object.datatype,
                           info.source, info.tag, MPI_COMM_NULL};
    comm.engine().release(std::exchange(object.operation, nullptr));
    if (is_collective(object))
        return fail(class_of(info.status), function, collective_failure(info.status), &comm);
    return fail(message_failure(call, comm, info));
}

}  // namespace

int finish_operation(const char* function, RequestObject& object) {
    if (object.operation == nullptr) return MPI_SUCCESS;
    if (object.operation->info().status != Status::ok) return fail_operation(function, object);
    object.comm->engine().release(std::exchange(object.operation, nullptr));
    return MPI_SUCCESS;
}

int finish_failed(const char* function, RequestObject& object) {
    const int error = finish_operation(function, object);
    dispose(object);
    return error;
}

int finish_persistent(const char* function, RequestObject& object) {
    object.persistent->active = false;
    return finish_operation(function, object);
}

int finish_special(const char* function, RequestObject& object, MPI_Request& handle, MPI_Status* status) {
    const std::unique_ptr<Special> special(object.special);
    const int reported = special->report(object, status);
    const int finished = special->finish(function, object);
    object.special = nullptr;
    dispose(object);
    handle = MPI_REQUEST_NULL;
    return reported != MPI_SUCCESS ? reported : finished;
}

int fail_request(const char* function, MPI_Request handle) {
    if (predefined_comms.world == nullptr) return not_running(function);
    return fail(MPI_ERR_REQUEST, function,
                fmt::format("{} is no request, or one that is complete already", show_handle(handle)));
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Request_free, MPI_Request* request) {
    RequestObject* const object = find_request(*request);
    if (object == nullptr) return fail_request("MPI_Request_free", *request);
    if (is_collective(*object) && !object->complete())
        return fail(MPI_ERR_REQUEST, "MPI_Request_free",
                    "a collective is under way: complete it with a call of the wait or test family",
                    object->comm);
    if (object->special != nullptr) {
        *request = MPI_REQUEST_NULL;
        if (!object->special->let_go(*object)) return MPI_SUCCESS;
        const std::unique_ptr<Special> gone(std::exchange(object->special, nullptr));
    }
    if (object->operation != nullptr)
        object->comm->engine().release(std::exchange(object->operation, nullptr));
    if (object->persistent != nullptr) forget_persistent(*object);
    dispose(*object);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Cancel, MPI_Request* request) {
    RequestObject* const object = find_request(*request);
    if (object == nullptr) return fail_request("MPI_Cancel", *request);
    if (object->special != nullptr) {
        object->special->cancel(*object);
        return MPI_SUCCESS;
    }
    if (is_collective(*object))
        return fail(MPI_ERR_REQUEST, "MPI_Cancel", "collectives cannot be cancelled", object->comm);
    // A send stays what it is: it completes normally, and MPI_Test_cancelled says so.
    if (object->kind == RequestObject::Kind::receive && object->operation != nullptr)
        object->comm->engine().cancel(*object->operation);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Test_cancelled, const MPI_Status* status, int* flag) {
    *flag = cancelled(*status) ? 1 : 0;
    return MPI_SUCCESS;
}
