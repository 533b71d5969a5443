// MPI_Comm_create_errhandler and its kin (MPI 5.0, section 9.3).

#include "mpi/errhandler.hpp"

#include <fmt/format.h>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

struct HandlerObject {
    Magic magic = Magic::errhandler;
    int references = 1;
    MPI_Comm_errhandler_function* function = nullptr;

    ~HandlerObject() { magic = Magic::gone; }
};

HandlerObject* find_handler(MPI_Errhandler handle) noexcept {
    return object_behind<HandlerObject>(handle, Magic::errhandler);
}

int fail_handler(const char* function, MPI_Errhandler handler, const Comm* comm = nullptr) {
    return fail(MPI_ERR_ERRHANDLER, function, fmt::format("{} is no error handler", show_handle(handler)),
                comm);
}

}  // namespace

bool is_errhandler(MPI_Errhandler handler) noexcept {
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT || handler == MPI_ERRORS_RETURN ||
           find_handler(handler) != nullptr;
}

void retain(MPI_Errhandler handler) noexcept {
    if (HandlerObject* const object = find_handler(handler); object != nullptr) ++object->references;
}

void drop(MPI_Errhandler handler) noexcept {
    HandlerObject* const object = find_handler(handler);
    if (object != nullptr && --object->references == 0) delete object;
}

MPI_Comm_errhandler_function* function_of(MPI_Errhandler handler) noexcept {
    const HandlerObject* const object = find_handler(handler);
    return object != nullptr ? object->function : nullptr;
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_create_errhandler, MPI_Comm_errhandler_function* comm_errhandler_fn,
               MPI_Errhandler* errhandler) {
    if (comm_errhandler_fn == nullptr)
        return fail(MPI_ERR_ARG, "MPI_Comm_create_errhandler", "the function is a null pointer");
    auto object = std::make_unique<HandlerObject>();
    object->function = comm_errhandler_fn;
    *errhandler = reinterpret_cast<MPI_Errhandler>(object.release());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_set_errhandler", comm);
    if (!is_errhandler(errhandler)) return fail_handler("MPI_Comm_set_errhandler", errhandler, found);
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
    if (!is_errhandler(*errhandler)) return fail_handler("MPI_Errhandler_free", *errhandler);
    drop(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
