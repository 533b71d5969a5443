// Intercommunicators: two groups whose ranks exchange messages with each other (MPI 5.0, section 7.6).

#include <fmt/format.h>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/library.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {
namespace {

constexpr const char* kCreate = "MPI_Intercomm_create";

/// What only the leader's arguments matter for.
int check_bridge(MPI_Comm peer_comm, int remote_leader, int tag) {
    const Comm* const over = find_comm(peer_comm);
    if (over == nullptr) return fail_comm(kCreate, peer_comm);
    if (!over->communicator->has_rank(remote_leader))
        return fail(MPI_ERR_RANK, kCreate,
                    pt2pt::not_a_rank(*over->communicator, "remote leader", remote_leader), over);
    if (tag < 0) return fail(MPI_ERR_TAG, kCreate, pt2pt::not_a_tag(tag), over);
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
               int remote_leader, int tag, MPI_Comm* newintercomm) {
    Comm* const local = find_comm(local_comm);
    if (local == nullptr) return fail_comm(kCreate, local_comm);
    rb2::pt2pt::Communicator& group = *local->communicator;
    if (group.is_inter())
        return fail(MPI_ERR_COMM, kCreate, "the local communicator is an intercommunicator", local);
    if (!group.has_rank(local_leader))
        return fail(MPI_ERR_RANK, kCreate, rb2::pt2pt::not_a_rank(group, "local leader", local_leader),
                    local);
    if (group.rank() != local_leader)
        return finish_making(kCreate, job()->connect(group, local_leader, nullptr), *local, newintercomm);
    const int error = check_bridge(peer_comm, remote_leader, tag);
    if (error != MPI_SUCCESS) return error;
    const rb2::pt2pt::Job::Bridge bridge{*find_comm(peer_comm)->communicator, remote_leader, tag};
    return finish_making(kCreate, job()->connect(group, local_leader, &bridge), *local, newintercomm);
}

RB2_MPI_DEFINE(int, Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
    Comm* const inter = find_comm(intercomm);
    if (inter == nullptr) return fail_comm("MPI_Intercomm_merge", intercomm);
    if (!inter->communicator->is_inter()) return fail_not_inter("MPI_Intercomm_merge", *inter);
    return finish_making("MPI_Intercomm_merge", job()->merge(*inter->communicator, high != 0), *inter,
                         newintracomm);
}

RB2_MPI_DEFINE(int, Comm_test_inter, MPI_Comm comm, int* flag) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_test_inter", comm);
    *flag = found->communicator->is_inter() ? 1 : 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Comm_remote_size, MPI_Comm comm, int* size) {
    const Comm* const found = find_comm(comm);
    if (found == nullptr) return fail_comm("MPI_Comm_remote_size", comm);
    if (!found->communicator->is_inter()) return fail_not_inter("MPI_Comm_remote_size", *found);
    *size = found->communicator->size();
    return MPI_SUCCESS;
}
