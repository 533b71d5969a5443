#pragma once
// What an MPI_Request stands for: an operation of the engine and what its completion needs to know.

#include <cstdint>
#include <memory>

#include "mpi.h"
#include "mpi/arguments.hpp"
#include "mpi/comm.hpp"
#include "mpi/status.hpp"
#include "pt2pt/collective/execution.hpp"
#include "pt2pt/request.hpp"

namespace rb2::mpi {

struct Persistent;
struct RequestObject;

/// What a request is beyond one operation of the engine. Off the short way of all others.
class Special {
  public:
    Special() = default;
    Special(const Special&) = delete;
    Special& operator=(const Special&) = delete;
    virtual ~Special() = default;

    /// More that must be done, besides the operation, before the request is complete.
    [[nodiscard]] virtual bool complete() const noexcept { return true; }
    /// Waits until the request is complete.
    virtual void wait(RequestObject& object) = 0;
    /// Fills the status of a complete request, which stays. Returns an error class.
    virtual int report(const RequestObject& object, MPI_Status* status) = 0;
    /// Ends a complete request but for its object, once reported. Returns an error class.
    virtual int finish(const char* function, RequestObject& object) = 0;
    /// The user frees a request that may not be complete. False: its object must stay until finish_special().
    virtual bool let_go(RequestObject& object) = 0;
    virtual void cancel(RequestObject& object) = 0;
};

/// Objects come from a pool and stay addressable after their end, so a stale handle is noticed, not followed.
struct RequestObject {
    enum class Kind : std::uint8_t { send, receive, null_receive, collective };

    Magic magic = Magic::gone;
    Kind kind = Kind::send;
    bool plain = false;                   ///< a receive of MPI_Irecv's short way: its operation and no more
    std::uint16_t unused = 0;             ///< named, so that what is above is one store
    pt2pt::Request* operation = nullptr;  ///< null for a null receive; owned until finish()
    Comm* comm = nullptr;                 ///< null for the shared objects below; holds a reference
    RequestObject* next_free = nullptr;
    // What was asked for, for error messages.
    std::int64_t count = 0;
    MPI_Datatype datatype{};
    Persistent* persistent = nullptr;  ///< what MPI_Start starts; null for all other requests
    Special* special = nullptr;        ///< null for most; owned

    [[nodiscard]] bool complete() const noexcept {
        return (operation == nullptr || operation->complete()) && (special == nullptr || special->complete());
    }
    /// A persistent request between its completion and its next start: waits and tests treat it like null.
    [[nodiscard]] inline bool inactive() const noexcept;
};

/// A message that can be sent or received, or a collective that can be called, again and again (MPI 5.0,
/// sections 3.9 and 6.13).
struct Persistent {
    enum class Mode : std::uint8_t { standard, synchronous, buffered, receive, collective };

    Mode mode;
    bool active = false;
    bool null = false;  ///< the peer is MPI_PROC_NULL: complete as soon as started
    MessageCall call;
    AnyMessage message;
    datatype::LayoutRef layout;                        ///< the plan's reference to message.data.layout
    std::shared_ptr<collective::Execution> execution;  ///< of a collective
};

inline bool RequestObject::inactive() const noexcept { return persistent != nullptr && !persistent->active; }

/// Two objects that many handles share: sends that are complete from the start, and receives from
/// MPI_PROC_NULL.
struct SharedRequests {
    RequestObject complete_send{Magic::request, RequestObject::Kind::send};
    RequestObject null_receive{Magic::request, RequestObject::Kind::null_receive};
};
inline constinit SharedRequests shared_requests;

/// Free objects.
inline constinit RequestObject* free_requests = nullptr;
/// Those that kept their operation, an idle one, for the next receive of MPI_Irecv's short way: so both are
/// taken, and given back, at once.
inline constinit RequestObject* free_receives = nullptr;
[[gnu::cold, gnu::noinline]] bool grow_request_pool() noexcept;

inline MPI_Request handle_of(RequestObject& object) noexcept {
    return reinterpret_cast<MPI_Request>(&object);
}

/// The object behind a handle, or null when it is none (MPI_REQUEST_NULL included).
inline RequestObject* find_request(MPI_Request handle) noexcept {
    return object_behind<RequestObject>(handle, Magic::request);
}

/// For an `operation` that could not be started: memory is exhausted.
[[gnu::cold, gnu::noinline]] int fail_start(MessageCall call, const Comm& comm);

/// Takes `object`, the first of `list`, with its own reference to `comm`; the caller fills the rest.
inline void take(RequestObject*& list, RequestObject& object, RequestObject::Kind kind, bool plain,
                 Comm& comm) noexcept {
    list = object.next_free;
    object.magic = Magic::request;
    object.kind = kind;
    object.plain = plain;
    object.unused = 0;
    object.comm = &comm;
    comm.retain();
}

/// An unused object for `operation`. The pool must not be empty.
inline RequestObject& take_object(RequestObject::Kind kind, pt2pt::Request* operation, Comm& comm,
                                  std::int64_t count, MPI_Datatype datatype) noexcept {
    RequestObject& object = *free_requests;
    take(free_requests, object, kind, false, comm);
    object.operation = operation;
    object.count = count;
    object.datatype = datatype;
    return object;
}

/// Sets `request` to a handle for `operation`; null means that memory is exhausted. Returns the error class.
inline int start_request(RequestObject::Kind kind, pt2pt::Request* operation, Comm& comm,
                         const MessageCall& call, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    if (operation == nullptr || (free_requests == nullptr && !grow_request_pool())) [[unlikely]]
        return fail_start(call, comm);
    *request = handle_of(take_object(kind, operation, comm, call.count, call.datatype));
    return MPI_SUCCESS;
}

/// refuse() for a nonblocking call: with MPI_PROC_NULL, `request` is one that is complete already.
[[gnu::cold, gnu::noinline]] int refuse_start(Direction direction, MessageCall call, MPI_Request* request);

/// Ends the life of an object with a communicator.
inline void put_back(RequestObject& object, RequestObject*& list) noexcept {
    object.comm->drop();
    object.magic = Magic::gone;
    object.next_free = list;
    list = &object;
}
/// The same for any object; the operation has been released.
inline void dispose(RequestObject& object) noexcept {
    if (object.comm != nullptr) put_back(object, free_requests);
}
/// The same for a plain receive that is complete, with its operation.
inline void dispose_plain(RequestObject& object) noexcept {
    pt2pt::Engine::rest(*object.operation);
    put_back(object, free_receives);
}

/// Makes progress until the request is complete. `of`: requests that the call waits for.
inline void wait_for(RequestObject& object, int of = 0) {
    if (object.special != nullptr) [[unlikely]]
        object.special->wait(object);
    else
        object.comm->engine().wait(*object.operation, static_cast<std::uint32_t>(of));
}

/// Fills `status` from a complete request, which stays: by its operation.
inline void report_operation(const RequestObject& object, MPI_Status* status) noexcept {
    if (status == MPI_STATUS_IGNORE) return;
    if (object.inactive()) [[unlikely]]
        set_empty_status(status);
    else if (object.kind == RequestObject::Kind::receive)
        set_status(status, *object.comm->communicator, object.operation->info());
    else if (object.kind == RequestObject::Kind::null_receive)
        set_null_status(status);
    else
        set_send_status(status, object.operation != nullptr && object.operation->info().cancelled);
}

/// The same for any request.
inline void report(const RequestObject& object, MPI_Status* status) {
    if (object.special != nullptr) [[unlikely]]
        (void)object.special->report(object, status);
    else
        report_operation(object, status);
}

/// Gives back the operation of a complete request, if there is one, and reports its error, if it failed. The
/// object stays. Returns the error class.
[[gnu::cold, gnu::noinline]] int finish_operation(const char* function, RequestObject& object);

/// Sets `request` to a persistent one for a collective. The pool must not be empty. Returns the error class.
[[gnu::cold]] int prepare_collective(std::shared_ptr<collective::Execution> execution, Comm& comm,
                                     const MessageCall& call, MPI_Request* request);

/// Ends a complete request that failed, and reports its error.
[[gnu::cold, gnu::noinline]] int finish_failed(const char* function, RequestObject& object);

/// Ends a persistent request's plan. Owned by persistent.cc; `object` has one.
[[gnu::cold]] void forget_persistent(RequestObject& object) noexcept;

/// finish() for a persistent request, which becomes inactive and keeps its handle. Returns the error class.
[[gnu::cold, gnu::noinline]] int finish_persistent(const char* function, RequestObject& object);

/// finish() for a special request. Returns the error class.
[[gnu::cold, gnu::noinline]] int finish_special(const char* function, RequestObject& object,
                                                MPI_Request& handle, MPI_Status* status);

/// Tells `status` of a complete request, gives it back and sets the handle to MPI_REQUEST_NULL. Returns the
/// error class.
inline int finish(const char* function, RequestObject& object, MPI_Request& handle, MPI_Status* status) {
    if (object.special != nullptr) [[unlikely]]
        return finish_special(function, object, handle, status);
    report_operation(object, status);
    if (object.persistent != nullptr) [[unlikely]]
        return finish_persistent(function, object);
    handle = MPI_REQUEST_NULL;
    if (object.operation != nullptr) {
        if (object.operation->info().status != Status::ok) [[unlikely]]
            return finish_failed(function, object);
        if (object.plain) {
            dispose_plain(object);
            return MPI_SUCCESS;
        }
        if (object.comm != nullptr) object.comm->engine().release_complete(object.operation);
    }
    dispose(object);
    return MPI_SUCCESS;
}

/// For a handle that find_request() does not know and that is not MPI_REQUEST_NULL.
[[gnu::cold, gnu::noinline]] int fail_request(const char* function, MPI_Request handle);

}  // namespace rb2::mpi
