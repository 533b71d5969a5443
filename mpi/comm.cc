#include "mpi/comm.hpp"

#include <fmt/format.h>

#include <optional>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"
#include "mpi/send_buffer.hpp"
#include "mpi/user_error.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

Comm* find_other_comm(MPI_Comm handle) noexcept {
    if (handle == MPI_COMM_SELF) return predefined_comms.self;
    if (predefined_comms.world == nullptr) return nullptr;
    Comm* const comm = object_behind<Comm>(handle, Magic::comm);
    return comm != nullptr && comm->communicator != nullptr ? comm : nullptr;
}

namespace {

MPI_Comm handle_of(Comm& comm) { return reinterpret_cast<MPI_Comm>(&comm); }

std::unique_ptr<Sides> sides_of(pt2pt::Communicator& inter) {
    auto sides = std::make_unique<Sides>();
    sides->local.communicator = &inter.local();
    sides->remote.owned = std::make_unique<pt2pt::Communicator>(
        inter.engine(), inter.id() + pt2pt::Communicator::kCollectivesIdOffset, inter.rank(), inter.group());
    sides->remote.communicator = sides->remote.owned.get();
    return sides;
}

}  // namespace

void fill(Comm& comm, std::unique_ptr<pt2pt::Communicator> communicator) {
    comm.communicator = communicator.get();
    comm.owned = std::move(communicator);
    if (comm.communicator->is_inter()) comm.sides = sides_of(*comm.communicator);
}

MPI_Comm adopt(std::unique_ptr<pt2pt::Communicator> communicator, const Comm& parent) {
    auto comm = std::make_unique<Comm>();
    if (communicator != nullptr) fill(*comm, std::move(communicator));
    comm->errhandler.set(parent.errhandler.get());
    return handle_of(*comm.release());
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

namespace {

/// Values of the predefined attributes; users get their addresses.
struct Attributes {
    int tag_upper_bound = pt2pt::kTagUpperBound;
    int io = MPI_ANY_SOURCE;  // every rank can use the language's input and output
    int host = MPI_PROC_NULL;
    int wtime_is_global = 0;
    int last_used_code = 0;
    int universe_size = 0;
};
Attributes attributes;

/// Null when the attribute is not set, or the key is none (`known` false).
int* attribute(int keyval, bool& known) {
    known = true;
    switch (keyval) {
        case MPI_TAG_UB:
            return &attributes.tag_upper_bound;
        case MPI_IO:
            return &attributes.io;
        case MPI_HOST:
            return &attributes.host;
        case MPI_WTIME_IS_GLOBAL:
            return &attributes.wtime_is_global;
        case MPI_LASTUSEDCODE:
            attributes.last_used_code = last_used_code();
            return &attributes.last_used_code;
        case MPI_UNIVERSE_SIZE:
            attributes.universe_size = job()->world().size();
            return &attributes.universe_size;
        case MPI_APPNUM:
            return nullptr;
        default:
            known = false;
            return nullptr;
    }
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
    *comm = MPI_COMM_NULL;
    forget_send_buffer(*found);
    found->drop();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_get_attr, MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_get_attr", comm);
    bool known = false;
    int* const value = attribute(comm_keyval, known);
    if (!known)
        return fail(MPI_ERR_KEYVAL, "MPI_Comm_get_attr", fmt::format("{} is no attribute key", comm_keyval),
                    found);
    *flag = value != nullptr ? 1 : 0;
    if (value != nullptr) *static_cast<int**>(attribute_val) = value;
    return MPI_SUCCESS;
}
