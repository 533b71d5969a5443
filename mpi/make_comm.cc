// Communicators made from groups, by kind of machine, and with hints; names (MPI 5.0, sections 7.4 and 7.8).

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/library.hpp"
#include "mpi/text.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {
namespace {

/// The members of `group`, which must be ranks of the own side of `parent`; else the error.
int check_subgroup(const char* function, const Comm& parent, MPI_Group group, const Members*& members) {
    members = members_of(group);
    if (members == nullptr) return fail_group(function, group);
    const pt2pt::Communicator& own = parent.communicator->own_side();
    const auto outside =
        std::ranges::find_if(*members, [&](int member) { return !own.has_rank(own.local_rank(member)); });
    if (outside != members->end())
        return fail(MPI_ERR_GROUP, function,
                    fmt::format("world rank {} of the group is not in the communicator", *outside), &parent);
    return MPI_SUCCESS;
}

/// The lowest rank that shares the machine with this one: what tells machines apart.
int first_on_this_machine(const pt2pt::Communicator& communicator) {
    pt2pt::World& world = job()->world();
    for (int rank = 0; rank < communicator.size(); ++rank)
        if (world.host(communicator.world_rank(rank)) == world.host(world.rank())) return rank;
    return communicator.rank();
}

bool is_split_type(int type) {
    return type == MPI_COMM_TYPE_SHARED || type == MPI_COMM_TYPE_HW_UNGUIDED ||
           type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_RESOURCE_GUIDED || type == MPI_UNDEFINED;
}

int dup(const char* function, MPI_Comm comm, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm(function, comm);
    return finish_making(function, job()->duplicate(*parent->communicator), *parent, newcomm);
}

int fail_inter(const char* function, const Comm& comm) {
    return fail(MPI_ERR_COMM, function, "the communicator is an intercommunicator", &comm);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_create", comm);
    const Members* members = nullptr;
    const int error = check_subgroup("MPI_Comm_create", *parent, group, members);
    if (error != MPI_SUCCESS) return error;
    const int rank = rank_in(*members, job()->world().rank());
    const bool member = rank != MPI_UNDEFINED;
    // Ranks may call with different groups that share no rank: the first member tells the groups apart. The
    // two groups of an intercommunicator call with one each.
    const int color = member && !parent->communicator->is_inter() ? members->front() : 0;
    return finish_making(
        "MPI_Comm_create",
        job()->split(*parent->communicator, member ? std::optional(color) : std::nullopt, member ? rank : 0),
        *parent, newcomm);
}

RB2_MPI_DEFINE(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_create_group", comm);
    const Members* members = nullptr;
    const int error = check_subgroup("MPI_Comm_create_group", *parent, group, members);
    if (error != MPI_SUCCESS) return error;
    if (parent->communicator->is_inter()) return fail_inter("MPI_Comm_create_group", *parent);
    if (tag < 0) return fail(MPI_ERR_TAG, "MPI_Comm_create_group", rb2::pt2pt::not_a_tag(tag), parent);
    *newcomm = MPI_COMM_NULL;
    if (rank_in(*members, job()->world().rank()) == MPI_UNDEFINED) return MPI_SUCCESS;
    return finish_making("MPI_Comm_create_group", job()->create_group(*parent->communicator, *members, tag),
                         *parent, newcomm);
}

/// Ranks of one machine share memory. Finer parts of a machine are not told apart: no communicator.
RB2_MPI_DEFINE(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_split_type", comm);
    if (!is_split_type(split_type))
        return fail(MPI_ERR_ARG, "MPI_Comm_split_type", fmt::format("{} is no split type", split_type),
                    parent);
    if (parent->communicator->is_inter()) return fail_inter("MPI_Comm_split_type", *parent);
    const auto color = split_type == MPI_COMM_TYPE_SHARED
                           ? std::optional(first_on_this_machine(*parent->communicator))
                           : std::nullopt;
    return finish_making("MPI_Comm_split_type", job()->split(*parent->communicator, color, key), *parent,
                         newcomm);
}

RB2_MPI_DEFINE(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) { return dup("MPI_Comm_dup", comm, newcomm); }

/// No hint changes anything here.
RB2_MPI_DEFINE(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info, MPI_Comm* newcomm) {
    return dup("MPI_Comm_dup_with_info", comm, newcomm);
}

RB2_MPI_DEFINE(int, Comm_set_name, MPI_Comm comm, const char* comm_name) {
    Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_set_name", comm);
    if (comm_name == nullptr)
        return fail(MPI_ERR_ARG, "MPI_Comm_set_name", "the name is a null pointer", found);
    found->name = std::string_view(comm_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_get_name, MPI_Comm comm, char* comm_name, int* resultlen) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_get_name", comm);
    const bool predefined = found->owned == nullptr;
    copy_text(found->name.empty() && predefined ? rb2::pt2pt::name_of(*found->communicator) : found->name,
              comm_name, MPI_MAX_OBJECT_NAME, resultlen);
    return MPI_SUCCESS;
}
