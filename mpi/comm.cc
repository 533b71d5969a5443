#include "mpi/comm.hpp"

#include <fmt/format.h>

#include <optional>

#include "mpi/comm_attributes.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"
#include "mpi/send_buffer.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

Comm* find_other_comm(MPI_Comm handle) noexcept {
    if (handle == MPI_COMM_SELF) return predefined_comms.self;
    if (predefined_comms.world == nullptr) return nullptr;
    return object_behind<Comm>(handle, Magic::comm);
}

void fill(Comm& comm, std::unique_ptr<pt2pt::Communicator> communicator) {
    comm.magic = Magic::comm;
    comm.communicator = communicator.get();
    comm.owned = std::move(communicator);
}

MPI_Comm adopt(std::unique_ptr<pt2pt::Communicator> communicator, const Comm& parent) {
    auto comm = std::make_unique<Comm>();
    comm->magic = Magic::gone;  // nothing that a call could use, until it is filled
    if (communicator != nullptr) fill(*comm, std::move(communicator));
    comm->errhandler.set(parent.errhandler.get());
    return reinterpret_cast<MPI_Comm>(comm.release());
}

int finish_making(const char* function, pt2pt::Job::Made made, const Comm& parent, MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    if (made.status != Status::ok)
        return fail(class_of(made.status), function, "the ranks could not agree on the new communicator",
                    &parent);
    if (made.communicator != nullptr) *newcomm = adopt(std::move(made.communicator), parent);
    return MPI_SUCCESS;
}

int fail_not_inter(const char* function, const Comm& comm) {
    return fail(MPI_ERR_COMM, function,
                fmt::format("{} is no intercommunicator", pt2pt::name_of(*comm.communicator)), &comm);
}

int inherit(const char* function, MPI_Comm from, const Comm& parent, MPI_Comm* duplicate) {
    Comm& child = *reinterpret_cast<Comm*>(*duplicate);
    child.topology = parent.topology;
    const int error = copy_attributes(function, from, parent, child);
    if (error == MPI_SUCCESS) return error;
    child.attributes.remove_all(*duplicate);
    child.drop();
    *duplicate = MPI_COMM_NULL;
    return error;
}

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
    *size = found->communicator->own_side().size();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_split", comm);
    if (color < 0 && color != MPI_UNDEFINED)
        return fail(MPI_ERR_ARG, "MPI_Comm_split",
                    fmt::format("color {} is negative, and not MPI_UNDEFINED", color), parent);
    const auto wish = color == MPI_UNDEFINED ? std::nullopt : std::optional<int>(color);
    return finish_making("MPI_Comm_split", job()->split(*parent->communicator, wish, key), *parent, newcomm);
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
    forget_send_buffer(*found);
    found->drop();
    return MPI_SUCCESS;
}
