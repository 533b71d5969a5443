#include "mpi/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"

namespace rb2::mpi {
namespace {

struct GroupObject {
    Magic magic = Magic::group;
    Members members;
    ~GroupObject() { magic = Magic::gone; }
};

const Members kNoMembers;

}  // namespace

MPI_Group handle_of(Members members) {
    if (members.empty()) return MPI_GROUP_EMPTY;
    auto group = std::make_unique<GroupObject>();
    group->members = std::move(members);
    return reinterpret_cast<MPI_Group>(group.release());
}

const Members* members_of(MPI_Group handle) noexcept {
    if (handle == MPI_GROUP_EMPTY) return &kNoMembers;
    const GroupObject* const group = object_behind<GroupObject>(handle, Magic::group);
    return group != nullptr ? &group->members : nullptr;
}

int fail_group(const char* function, MPI_Group handle) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    return fail(MPI_ERR_GROUP, function,
                handle == MPI_GROUP_NULL ? std::string("the group is MPI_GROUP_NULL")
                                         : fmt::format("{} is no group", show_handle(handle)));
}

Members members_of(const pt2pt::Communicator& communicator) {
    Members members(static_cast<std::size_t>(communicator.size()));
    for (std::size_t i = 0; i < members.size(); ++i)
        members[i] = communicator.world_rank(static_cast<int>(i));
    return members;
}

int rank_in(const Members& members, int world_rank) noexcept {
    const auto at = std::ranges::find(members, world_rank);
    return at == members.end() ? MPI_UNDEFINED : static_cast<int>(at - members.begin());
}

namespace {

bool holds(const Members& members, int world_rank) noexcept {
    return rank_in(members, world_rank) != MPI_UNDEFINED;
}

int compare(const Members& a, const Members& b) {
    if (a == b) return MPI_IDENT;
    return std::ranges::is_permutation(a, b) ? MPI_SIMILAR : MPI_UNEQUAL;
}

/// Of intercommunicators both groups count, the less equal ones for both.
int compare(const pt2pt::Communicator& a, const pt2pt::Communicator& b) {
    static_assert(MPI_IDENT < MPI_SIMILAR && MPI_SIMILAR < MPI_UNEQUAL);
    if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
    return std::max(compare(members_of(a), members_of(b)),
                    compare(members_of(a.own_side()), members_of(b.own_side())));
}

/// Chosen ranks of a group, each once, or the error for one that is not in it or comes twice.
int check_ranks(const char* function, const Members& members, const std::vector<int>& ranks) {
    std::vector<bool> seen(members.size());
    for (const int rank : ranks) {
        if (rank < 0 || static_cast<std::size_t>(rank) >= members.size())
            return fail(MPI_ERR_RANK, function,
                        fmt::format("rank {} is not in 0 to {} of the group", rank,
                                    static_cast<std::int64_t>(members.size()) - 1));
        if (seen[static_cast<std::size_t>(rank)])
            return fail(MPI_ERR_RANK, function, fmt::format("rank {} is named twice", rank));
        seen[static_cast<std::size_t>(rank)] = true;
    }
    return MPI_SUCCESS;
}

/// The ranks of a call that lists them.
int list_ranks(const char* function, int count, const int ranks[], std::vector<int>& listed) {
    if (count < 0) return fail(MPI_ERR_ARG, function, fmt::format("the number of ranks is {}", count));
    if (ranks == nullptr && count > 0) return fail(MPI_ERR_ARG, function, "the ranks are a null pointer");
    listed.assign(ranks, ranks + count);
    return MPI_SUCCESS;
}

/// The ranks of a call that names them as (first, last, stride).
int list_ranges(const char* function, int count, const int ranges[][3], std::vector<int>& listed) {
    if (count < 0) return fail(MPI_ERR_ARG, function, fmt::format("the number of ranges is {}", count));
    if (ranges == nullptr && count > 0) return fail(MPI_ERR_ARG, function, "the ranges are a null pointer");
    for (int i = 0; i < count; ++i) {
        const auto [first, last, stride] = std::tie(ranges[i][0], ranges[i][1], ranges[i][2]);
        if (stride == 0) return fail(MPI_ERR_ARG, function, fmt::format("the stride of range {} is 0", i));
        for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
            listed.push_back(static_cast<int>(rank));
    }
    return MPI_SUCCESS;
}

enum class Keep : std::uint8_t { listed, others };

/// `newgroup` of the listed ranks in their order, or of the others in the group's.
int choose(const char* function, MPI_Group group, const std::vector<int>& ranks, Keep keep,
           MPI_Group* newgroup) {
    const Members& members = *members_of(group);
    if (const int error = check_ranks(function, members, ranks); error != MPI_SUCCESS) return error;
    Members chosen;
    if (keep == Keep::listed) {
        for (const int rank : ranks) chosen.push_back(members[static_cast<std::size_t>(rank)]);
    } else {
        for (std::size_t i = 0; i < members.size(); ++i)
            if (std::ranges::find(ranks, static_cast<int>(i)) == ranks.end()) chosen.push_back(members[i]);
    }
    *newgroup = handle_of(std::move(chosen));
    return MPI_SUCCESS;
}

/// Both operands of a set operation, or the error.
int check_pair(const char* function, MPI_Group a, MPI_Group b) {
    if (members_of(a) == nullptr) return fail_group(function, a);
    if (members_of(b) == nullptr) return fail_group(function, b);
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_group, MPI_Comm comm, MPI_Group* group) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_group", comm);
    *group = handle_of(members_of(found->communicator->own_side()));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_remote_group, MPI_Comm comm, MPI_Group* group) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_remote_group", comm);
    if (!found->communicator->is_inter()) return fail_not_inter("MPI_Comm_remote_group", *found);
    *group = handle_of(members_of(*found->communicator));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_size, MPI_Group group, int* size) {
    const Members* const members = members_of(group);
    if (members == nullptr) return fail_group("MPI_Group_size", group);
    *size = static_cast<int>(members->size());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_rank, MPI_Group group, int* rank) {
    const Members* const members = members_of(group);
    if (members == nullptr) return fail_group("MPI_Group_rank", group);
    if (const int error = require_running("MPI_Group_rank"); error != MPI_SUCCESS) return error;
    *rank = rank_in(*members, job()->world().rank());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
               int ranks2[]) {
    if (const int error = check_pair("MPI_Group_translate_ranks", group1, group2); error != MPI_SUCCESS)
        return error;
    std::vector<int> ranks;
    if (const int error = list_ranks("MPI_Group_translate_ranks", n, ranks1, ranks); error != MPI_SUCCESS)
        return error;
    const Members& from = *members_of(group1);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks2[i] = MPI_PROC_NULL;
        if (ranks[i] == MPI_PROC_NULL) continue;
        if (const int error = check_ranks("MPI_Group_translate_ranks", from, {ranks[i]});
            error != MPI_SUCCESS)
            return error;
        ranks2[i] = rank_in(*members_of(group2), from[static_cast<std::size_t>(ranks[i])]);
    }
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_compare, MPI_Group group1, MPI_Group group2, int* result) {
    if (const int error = check_pair("MPI_Group_compare", group1, group2); error != MPI_SUCCESS) return error;
    *result = compare(*members_of(group1), *members_of(group2));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_union, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    if (const int error = check_pair("MPI_Group_union", group1, group2); error != MPI_SUCCESS) return error;
    Members all = *members_of(group1);
    for (const int member : *members_of(group2))
        if (!holds(*members_of(group1), member)) all.push_back(member);
    *newgroup = handle_of(std::move(all));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_intersection, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    if (const int error = check_pair("MPI_Group_intersection", group1, group2); error != MPI_SUCCESS)
        return error;
    Members common = *members_of(group1);
    std::erase_if(common, [&](int member) { return !holds(*members_of(group2), member); });
    *newgroup = handle_of(std::move(common));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
    if (const int error = check_pair("MPI_Group_difference", group1, group2); error != MPI_SUCCESS)
        return error;
    Members left = *members_of(group1);
    std::erase_if(left, [&](int member) { return holds(*members_of(group2), member); });
    *newgroup = handle_of(std::move(left));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
    if (members_of(group) == nullptr) return fail_group("MPI_Group_incl", group);
    std::vector<int> listed;
    if (const int error = list_ranks("MPI_Group_incl", n, ranks, listed); error != MPI_SUCCESS) return error;
    return choose("MPI_Group_incl", group, listed, Keep::listed, newgroup);
}

RB2_MPI_DEFINE(int, Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
    if (members_of(group) == nullptr) return fail_group("MPI_Group_excl", group);
    std::vector<int> listed;
    if (const int error = list_ranks("MPI_Group_excl", n, ranks, listed); error != MPI_SUCCESS) return error;
    return choose("MPI_Group_excl", group, listed, Keep::others, newgroup);
}

RB2_MPI_DEFINE(int, Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
    if (members_of(group) == nullptr) return fail_group("MPI_Group_range_incl", group);
    std::vector<int> listed;
    if (const int error = list_ranges("MPI_Group_range_incl", n, ranges, listed); error != MPI_SUCCESS)
        return error;
    return choose("MPI_Group_range_incl", group, listed, Keep::listed, newgroup);
}

RB2_MPI_DEFINE(int, Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
    if (members_of(group) == nullptr) return fail_group("MPI_Group_range_excl", group);
    std::vector<int> listed;
    if (const int error = list_ranges("MPI_Group_range_excl", n, ranges, listed); error != MPI_SUCCESS)
        return error;
    return choose("MPI_Group_range_excl", group, listed, Keep::others, newgroup);
}

RB2_MPI_DEFINE(int, Group_free, MPI_Group* group) {
    if (*group != MPI_GROUP_EMPTY) {
        auto* const object = object_behind<GroupObject>(*group, Magic::group);
        if (object == nullptr) return fail_group("MPI_Group_free", *group);
        const std::unique_ptr<GroupObject> owner(object);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int* result) {
    const Comm* const first = find_comm(comm1);
    if (first == nullptr) return fail_comm("MPI_Comm_compare", comm1);
    const Comm* const second = find_comm(comm2);
    if (second == nullptr) return fail_comm("MPI_Comm_compare", comm2);
    *result = compare(*first->communicator, *second->communicator);
    // Same ranks in the same order, but messages of its own.
    if (*result == MPI_IDENT && first != second) *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}
