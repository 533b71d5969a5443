// MPI_Comm_create_errhandler and its kin (MPI 5.0, section 9.3). Those of sessions are in session.cc.

#include "mpi/errhandler.hpp"

#include <fmt/format.h>

#include <memory>
#include <variant>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

struct HandlerObject {
    Magic magic = Magic::errhandler;
    int references = 1;
    std::variant<MPI_Comm_errhandler_function*, MPI_Session_errhandler_function*> function;

    ~HandlerObject() { magic = Magic::gone; }
};

HandlerObject* find_handler(MPI_Errhandler handle) noexcept {
    return object_behind<HandlerObject>(handle, Magic::errhandler);
}

bool is_predefined(MPI_Errhandler handler) noexcept {
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT || handler == MPI_ERRORS_RETURN;
}

}  // namespace

std::string no_errhandler(MPI_Errhandler handler) {
    return fmt::format("{} is no error handler{}", show_handle(handler),
                       find_handler(handler) != nullptr ? " for this kind of object" : "");
}

template <class Function>
bool is_errhandler(MPI_Errhandler handler) noexcept {
    return is_predefined(handler) || function_of<Function>(handler) != nullptr;
}

void retain(MPI_Errhandler handler) noexcept {
    if (HandlerObject* const object = find_handler(handler); object != nullptr) ++object->references;
}

void drop(MPI_Errhandler handler) noexcept {
    HandlerObject* const object = find_handler(handler);
    if (object != nullptr && --object->references == 0) delete object;
}

template <class Function>
Function* function_of(MPI_Errhandler handler) noexcept {
    const HandlerObject* const object = find_handler(handler);
    Function* const* const function = object != nullptr ? std::get_if<Function*>(&object->function) : nullptr;
    return function != nullptr ? *function : nullptr;
}

template <class Function>
int make_errhandler(const char* name, Function* function, MPI_Errhandler* handler) {
    if (function == nullptr) return fail(MPI_ERR_ARG, name, "the function is a null pointer");
    auto object = std::make_unique<HandlerObject>();
    object->function = function;
    *handler = reinterpret_cast<MPI_Errhandler>(object.release());
    return MPI_SUCCESS;
}

template bool is_errhandler<MPI_Comm_errhandler_function>(MPI_Errhandler) noexcept;
template bool is_errhandler<MPI_Session_errhandler_function>(MPI_Errhandler) noexcept;
template MPI_Comm_errhandler_function* function_of(MPI_Errhandler) noexcept;
template MPI_Session_errhandler_function* function_of(MPI_Errhandler) noexcept;
template int make_errhandler(const char*, MPI_Comm_errhandler_function*, MPI_Errhandler*);
template int make_errhandler(const char*, MPI_Session_errhandler_function*, MPI_Errhandler*);

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_create_errhandler, MPI_Comm_errhandler_function* comm_errhandler_fn,
               MPI_Errhandler* errhandler) {
    return make_errhandler("MPI_Comm_create_errhandler", comm_errhandler_fn, errhandler);
}

RB2_MPI_DEFINE(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_set_errhandler", comm);
    if (!is_errhandler<MPI_Comm_errhandler_function>(errhandler))
        return fail(MPI_ERR_ERRHANDLER, "MPI_Comm_set_errhandler", no_errhandler(errhandler), found);
    found->errhandler.set(errhandler);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_get_errhandler", comm);
    *errhandler = found->errhandler.get();
    retain(*errhandler);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_call_errhandler, MPI_Comm comm, int errorcode) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_call_errhandler", comm);
    // What the handler lets return is no error of this call.
    (void)fail(errorcode, "MPI_Comm_call_errhandler", fmt::format("called with error code {}", errorcode),
               found);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Errhandler_free, MPI_Errhandler* errhandler) {
    if (!is_predefined(*errhandler) && find_handler(*errhandler) == nullptr)
        return fail(MPI_ERR_ERRHANDLER, "MPI_Errhandler_free", no_errhandler(*errhandler));
    drop(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
