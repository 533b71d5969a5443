// Communicators made from groups, by kind of machine, and with hints; names (MPI 5.0, sections 7.4 and 7.8).

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
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
    const pt2pt::World& world = job()->world();
    for (int rank = 0; rank < communicator.size(); ++rank)
        if (world.shares_machine(communicator.world_rank(rank))) return rank;
    return communicator.rank();
}

bool is_split_type(int type) {
    return type == MPI_COMM_TYPE_SHARED || type == MPI_COMM_TYPE_HW_UNGUIDED ||
           type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_RESOURCE_GUIDED || type == MPI_UNDEFINED;
}

int dup(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm(function, comm);
    if (const int error = check_info(function, info, parent); error != MPI_SUCCESS) return error;
    const int error = finish_making(function, job()->duplicate(*parent->communicator), *parent, newcomm);
    return error == MPI_SUCCESS ? inherit(function, comm, *parent, newcomm) : error;
}

/// A tag for a string: FNV-1a (Fowler, Noll, Vo), cut to the tags there are.
int tag_of(const char* text) {
    std::uint32_t hash = 2166136261U;
    for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 16777619U;
    return static_cast<int>(hash & (pt2pt::kTagUpperBound >> 1));
}

/// Members of a group that this rank must be in, and with which it makes a communicator without a parent.
int check_own_group(const char* function, MPI_Group group, const char* stringtag, MPI_Info info,
                    MPI_Errhandler errhandler, const Members*& members) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (const int error = check_info(function, info); error != MPI_SUCCESS) return error;
    members = members_of(group);
    if (members == nullptr) return fail_group(function, group);
    if (rank_in(*members, job()->world().rank()) == MPI_UNDEFINED)
        return fail(MPI_ERR_GROUP, function, "the calling rank is not in the group");
    if (stringtag == nullptr) return fail(MPI_ERR_ARG, function, "the string tag is a null pointer");
    if (!is_errhandler<MPI_Comm_errhandler_function>(errhandler))
        return fail(MPI_ERR_ERRHANDLER, function, no_errhandler(errhandler));
    return MPI_SUCCESS;
}

int finish_from_group(const char* function, pt2pt::Job::Made made, MPI_Errhandler errhandler,
                      MPI_Comm* newcomm) {
    const int error = finish_making(function, std::move(made), *predefined_comms.self, newcomm);
    if (error == MPI_SUCCESS) find_comm(*newcomm)->errhandler.set(errhandler);
    return error;
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
RB2_MPI_DEFINE(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
               MPI_Comm* newcomm) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm("MPI_Comm_split_type", comm);
    if (const int error = check_info("MPI_Comm_split_type", info, parent); error != MPI_SUCCESS) return error;
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

RB2_MPI_DEFINE(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) {
    return dup("MPI_Comm_dup", comm, MPI_INFO_NULL, newcomm);
}

// No hint changes anything here, so none is kept.
RB2_MPI_DEFINE(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    return dup("MPI_Comm_dup_with_info", comm, info, newcomm);
}
RB2_MPI_DEFINE(int, Comm_set_info, MPI_Comm comm, MPI_Info info) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_set_info", comm);
    return check_info("MPI_Comm_set_info", info, found);
}
RB2_MPI_DEFINE(int, Comm_get_info, MPI_Comm comm, MPI_Info* info_used) {
    if (find_comm(comm) == nullptr) return fail_comm("MPI_Comm_get_info", comm);
    *info_used = new_info({});
    return MPI_SUCCESS;
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

RB2_MPI_DEFINE(int, Comm_create_from_group, MPI_Group group, const char* stringtag, MPI_Info info,
               MPI_Errhandler errhandler, MPI_Comm* newcomm) {
    constexpr const char* function = "MPI_Comm_create_from_group";
    *newcomm = MPI_COMM_NULL;
    if (group == MPI_GROUP_EMPTY) return MPI_SUCCESS;
    const Members* members = nullptr;
    const int error = check_own_group(function, group, stringtag, info, errhandler, members);
    if (error != MPI_SUCCESS) return error;
    return finish_from_group(function, job()->create_from_group(*members, tag_of(stringtag)), errhandler,
                             newcomm);
}

RB2_MPI_DEFINE(int, Intercomm_create_from_groups, MPI_Group local_group, int local_leader,
               MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info,
               MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
    constexpr const char* function = "MPI_Intercomm_create_from_groups";
    *newintercomm = MPI_COMM_NULL;
    const Members* local = nullptr;
    const int error = check_own_group(function, local_group, stringtag, info, errhandler, local);
    if (error != MPI_SUCCESS) return error;
    const Members* const remote = members_of(remote_group);
    if (remote == nullptr) return fail_group(function, remote_group);
    const auto size_of = [](const Members& members) { return static_cast<int>(members.size()); };
    if (local_leader < 0 || local_leader >= size_of(*local) || remote_leader < 0 ||
        remote_leader >= size_of(*remote))
        return fail(MPI_ERR_RANK, function,
                    fmt::format("leaders {} and {} are not in 0 to {} and 0 to {} of their groups",
                                local_leader, remote_leader, size_of(*local) - 1, size_of(*remote) - 1));
    return finish_from_group(
        function,
        job()->create_from_groups(*local, local_leader, (*remote)[static_cast<std::size_t>(remote_leader)],
                                  tag_of(stringtag)),
        errhandler, newintercomm);
}
