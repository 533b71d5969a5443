#include "mpi/comm.hpp"

#include <fmt/format.h>

#include <optional>

#include "mpi/comm_attributes.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

Comm* find_other_comm(MPI_Comm handle) noexcept {
    if (handle == MPI_COMM_SELF) return predefined_comms.self;
    return predefined_comms.world == nullptr ? nullptr : object_behind<Comm>(handle, Magic::comm);
}

namespace {

MPI_Comm handle_of(Comm& comm) { return reinterpret_cast<MPI_Comm>(&comm); }

}  // namespace

MPI_Comm adopt(std::unique_ptr<pt2pt::Communicator> communicator, const Comm& parent) {
    auto comm = std::make_unique<Comm>();
    comm->communicator = communicator.get();
    comm->owned = std::move(communicator);
    comm->errhandler = parent.errhandler;
    return handle_of(*comm.release());
}

int inherit(const char* function, MPI_Comm from, const Comm& parent, MPI_Comm* duplicate) {
    Comm& child = *find_comm(*duplicate);
    child.topology = parent.topology;
    const int error = copy_attributes(function, from, parent, child);
    if (error == MPI_SUCCESS) return error;
    child.attributes.remove_all(*duplicate);
    child.drop();
    *duplicate = MPI_COMM_NULL;
    return error;
}

namespace {

bool is_predefined_handler(MPI_Errhandler handler) {
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT || handler == MPI_ERRORS_RETURN;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_rank, MPI_Comm comm, int* rank) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_rank", comm);
    *rank = found->communicator->rank();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_size, MPI_Comm comm, int* size) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_size", comm);
    *size = found->communicator->size();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_dup", comm);
    auto copy = job()->duplicate(*parent->communicator);
    if (copy == nullptr)
        return fail(MPI_ERR_OTHER, "MPI_Comm_dup", "the ranks could not agree on an id", parent);
    *newcomm = adopt(std::move(copy), *parent);
    return inherit("MPI_Comm_dup", comm, *parent, newcomm);
}

RB2_MPI_DEFINE(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_split", comm);
    if (color < 0 && color != MPI_UNDEFINED)
        return fail(MPI_ERR_ARG, "MPI_Comm_split",
                    fmt::format("color {} is negative, and not MPI_UNDEFINED", color), parent);
    const auto wish = color == MPI_UNDEFINED ? std::nullopt : std::optional<int>(color);
    auto part = job()->split(*parent->communicator, wish, key);
    if (part.status != rb2::Status::ok)
        return fail(class_of(part.status), "MPI_Comm_split", "the ranks could not exchange their colors",
                    parent);
    *newcomm = part.communicator == nullptr ? MPI_COMM_NULL : adopt(std::move(part.communicator), *parent);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_free, MPI_Comm* comm) {
    Comm* const found = find_comm(*comm);
    if (found == nullptr) return fail_comm("MPI_Comm_free", *comm);
    if (found->owned == nullptr)
        return fail(MPI_ERR_COMM, "MPI_Comm_free",
                    fmt::format("{} cannot be freed", rb2::pt2pt::name_of(*found->communicator)), found);
    if (const int error = delete_attributes("MPI_Comm_free", *comm, *found); error != MPI_SUCCESS)
        return error;
    *comm = MPI_COMM_NULL;
    found->drop();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_set_errhandler", comm);
    if (!is_predefined_handler(errhandler))
        return fail(MPI_ERR_ERRHANDLER, "MPI_Comm_set_errhandler",
                    fmt::format("{} is no error handler", show_handle(errhandler)), found);
    found->errhandler = errhandler;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_get_errhandler", comm);
    *errhandler = found->errhandler;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Errhandler_free, MPI_Errhandler* errhandler) {
    if (!is_predefined_handler(*errhandler))
        return fail(MPI_ERR_ERRHANDLER, "MPI_Errhandler_free",
                    fmt::format("{} is no error handler", show_handle(*errhandler)));
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
