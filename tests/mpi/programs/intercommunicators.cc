// Intercommunicators: made, merged, split and duplicated; messages and collectives between their groups.
#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;
using rb2::test::Ranks;

/// The world's ranks in two groups: the first `first` of them, and the rest.
class TwoGroups {
  public:
    TwoGroups(const Mpi& mpi, int ranks_in_first) : first(ranks_in_first), in_first(mpi.rank < first) {
        MPI_Comm_split(MPI_COMM_WORLD, in_first ? 0 : 1, mpi.rank, &local);
        check(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, in_first ? first : 0, 7, &inter) == MPI_SUCCESS,
              "MPI_Intercomm_create");
        own_size = in_first ? first : mpi.size - first;
        remote_size = mpi.size - own_size;
    }
    ~TwoGroups() {
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    TwoGroups(const TwoGroups&) = delete;
    TwoGroups& operator=(const TwoGroups&) = delete;

    /// World rank of a rank of the remote group.
    [[nodiscard]] int remote_world_rank(int rank) const { return in_first ? first + rank : rank; }

    int first;
    bool in_first;
    int own_size = 0;
    int remote_size = 0;
    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
};

void shape(const Mpi& mpi, const TwoGroups& groups) {
    const Ranks ranks(groups.inter);
    int remote_size = -1;
    int is_inter = -1;
    MPI_Comm_remote_size(groups.inter, &remote_size);
    MPI_Comm_test_inter(groups.inter, &is_inter);
    check(is_inter == 1, "is an intercommunicator");
    check(ranks.size == groups.own_size && remote_size == groups.remote_size, "sizes of both groups");
    check(ranks.rank == (groups.in_first ? mpi.rank : mpi.rank - groups.first), "rank in the own group");
    MPI_Comm_test_inter(groups.local, &is_inter);
    check(is_inter == 0, "the local communicator is none");

    MPI_Group remote = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_remote_group(groups.inter, &remote);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int last = remote_size - 1;
    int world_rank = -1;
    MPI_Group_translate_ranks(remote, 1, &last, world, &world_rank);
    check(world_rank == groups.remote_world_rank(last), "the remote group has the other ranks");
    MPI_Group_free(&remote);
    MPI_Group_free(&world);
}

/// Every rank to every remote one, with wildcards on the receiving side.
void messages(const Mpi& mpi, const TwoGroups& groups) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(groups.remote_size));
    for (int rank = 0; rank < groups.remote_size; ++rank)
        MPI_Isend(&mpi.rank, 1, MPI_INT, rank, 3, groups.inter, &requests[static_cast<std::size_t>(rank)]);
    for (int i = 0; i < groups.remote_size; ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, groups.inter, &status);
        check(value == groups.remote_world_rank(status.MPI_SOURCE), "source is a rank of the remote group");
    }
    MPI_Waitall(groups.remote_size, requests.data(), MPI_STATUSES_IGNORE);
}

void duplicate(const TwoGroups& groups) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(groups.inter, &copy);
    int result = -1;
    MPI_Comm_compare(groups.inter, copy, &result);
    check(result == MPI_CONGRUENT, "a duplicate is congruent");
    MPI_Comm_compare(groups.inter, groups.local, &result);
    check(result == MPI_UNEQUAL, "not to be compared with a local one");
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

void merge(const Mpi& mpi, const TwoGroups& groups) {
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Intercomm_merge(groups.inter, groups.in_first ? 1 : 0, &all);
    const Ranks ranks(all);
    check(ranks.size == mpi.size, "all ranks");
    const int expected = groups.in_first ? groups.remote_size + mpi.rank : mpi.rank - groups.first;
    check(ranks.rank == expected, "the high group comes second");
    int sum = 0;
    MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, all);
    check(sum == mpi.size * (mpi.size - 1) / 2, "collective among all");
    MPI_Comm_free(&all);

    MPI_Intercomm_merge(groups.inter, 0, &all);
    check(Ranks(all).rank == mpi.rank, "without a high group the one with the lower leader comes first");
    MPI_Comm_free(&all);
}

/// Rank 0 of each group by themselves; the others, where a group has none, get no communicator.
void split(const TwoGroups& groups) {
    const Ranks ranks(groups.inter);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(groups.inter, ranks.rank == 0 ? 5 : 6, 0, &part);
    const int own = ranks.rank == 0 ? 1 : groups.own_size - 1;
    const int remote = ranks.rank == 0 ? 1 : groups.remote_size - 1;
    check((part != MPI_COMM_NULL) == (remote > 0), "no partners, no communicator");
    if (part == MPI_COMM_NULL) return;
    int remote_size = -1;
    MPI_Comm_remote_size(part, &remote_size);
    check(Ranks(part).size == own && remote_size == remote, "sizes of the parts");
    MPI_Barrier(part);
    MPI_Comm_free(&part);
}

void create(const TwoGroups& groups) {
    MPI_Group own = MPI_GROUP_NULL;
    MPI_Group leader = MPI_GROUP_NULL;
    MPI_Comm_group(groups.inter, &own);
    const int zero = 0;
    MPI_Group_incl(own, 1, &zero, &leader);
    MPI_Comm leaders = MPI_COMM_NULL;
    MPI_Comm_create(groups.inter, leader, &leaders);
    check((leaders != MPI_COMM_NULL) == (Ranks(groups.inter).rank == 0), "the members get it");
    if (leaders != MPI_COMM_NULL) {
        int remote_size = -1;
        MPI_Comm_remote_size(leaders, &remote_size);
        check(remote_size == 1, "one leader on the other side");
        MPI_Comm_free(&leaders);
    }
    MPI_Group_free(&own);
    MPI_Group_free(&leader);
}

/// Rank 1 of the first group, or its only rank, gives to the whole second group, and gets from it.
void rooted(const TwoGroups& groups) {
    const Ranks ranks(groups.inter);
    const int root = groups.first > 1 ? 1 : 0;
    const bool at_root = groups.in_first && ranks.rank == root;
    const int argument = groups.in_first ? (at_root ? MPI_ROOT : MPI_PROC_NULL) : root;
    const std::size_t parts = at_root ? static_cast<std::size_t>(groups.remote_size) : 0;

    int value = at_root ? 42 : -1;
    MPI_Bcast(&value, 1, MPI_INT, argument, groups.inter);
    check(value == (groups.in_first && !at_root ? -1 : 42), "broadcast");

    int sum = -1;
    MPI_Reduce(&ranks.rank, &sum, 1, MPI_INT, MPI_SUM, argument, groups.inter);
    check(!at_root || sum == groups.remote_size * (groups.remote_size - 1) / 2, "reduce");

    std::vector<int> all(parts, -1);
    MPI_Gather(&ranks.rank, 1, MPI_INT, all.data(), 1, MPI_INT, argument, groups.inter);
    for (std::size_t i = 0; i < parts; ++i) check(all[i] == static_cast<int>(i), "gather");

    std::vector<int> counts(parts, 1);
    std::vector<int> places(parts);
    for (std::size_t i = 0; i < parts; ++i) places[i] = static_cast<int>(parts - 1 - i);
    MPI_Gatherv(&ranks.rank, 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, argument,
                groups.inter);
    for (std::size_t i = 0; i < parts; ++i) check(all[i] == places[i], "gather, to places of its own");

    int own = -1;
    MPI_Scatter(all.data(), 1, MPI_INT, &own, 1, MPI_INT, argument, groups.inter);
    check(groups.in_first || own == groups.own_size - 1 - ranks.rank, "scatter");
    MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, &own, 1, MPI_INT, argument, groups.inter);
    check(groups.in_first || own == ranks.rank, "scatter, from places of its own");
}

void rootless(const Mpi& mpi, const TwoGroups& groups) {
    const auto remote_size = static_cast<std::size_t>(groups.remote_size);
    int remote_sum = 0;
    for (int rank = 0; rank < groups.remote_size; ++rank) remote_sum += groups.remote_world_rank(rank);

    int sum = -1;
    MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, groups.inter);
    check(sum == remote_sum, "allreduce gives what the other group has");

    std::vector<int> all(remote_size, -1);
    MPI_Allgather(&mpi.rank, 1, MPI_INT, all.data(), 1, MPI_INT, groups.inter);
    for (int i = 0; i < groups.remote_size; ++i)
        check(all[static_cast<std::size_t>(i)] == groups.remote_world_rank(i), "allgather");

    const Ranks ranks(groups.inter);
    std::vector<int> out(remote_size);
    for (std::size_t i = 0; i < remote_size; ++i) out[i] = 100 * mpi.rank + static_cast<int>(i);
    MPI_Alltoall(out.data(), 1, MPI_INT, all.data(), 1, MPI_INT, groups.inter);
    for (int i = 0; i < groups.remote_size; ++i)
        check(all[static_cast<std::size_t>(i)] == 100 * groups.remote_world_rank(i) + ranks.rank, "alltoall");

    // Blocks of a size that divides evenly among the ranks of both groups.
    const int total = groups.own_size * groups.remote_size;
    const std::vector<int> ones(static_cast<std::size_t>(total), 1);
    std::vector<int> block(remote_size, -1);
    MPI_Reduce_scatter_block(ones.data(), block.data(), groups.remote_size, MPI_INT, MPI_SUM, groups.inter);
    for (const int value : block) check(value == groups.remote_size, "reduce_scatter_block");
}

/// One of each, all under way at once; the buffers of a rank, and what it must find in them.
class ManyAtOnce {
  public:
    explicit ManyAtOnce(const TwoGroups& groups)
        : groups_(groups),
          ranks_(groups.inter),
          at_root_(groups.in_first && ranks_.rank == 0),
          root_(groups.in_first ? (at_root_ ? MPI_ROOT : MPI_PROC_NULL) : 0),
          remote_(static_cast<std::size_t>(groups.remote_size)),
          own_(static_cast<std::size_t>(groups.own_size)) {}

    void start(MPI_Comm comm, std::vector<MPI_Request>& requests, bool persistent) {
        const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
        if (persistent) {
            MPI_Barrier_init(comm, MPI_INFO_NULL, next());
            MPI_Bcast_init(&word_, 1, MPI_INT, root_, comm, MPI_INFO_NULL, next());
            MPI_Reduce_init(&own_value_, &sum_, 1, MPI_INT, MPI_SUM, root_, comm, MPI_INFO_NULL, next());
            MPI_Allreduce_init(&own_value_, &all_sum_, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, next());
            MPI_Gather_init(&own_value_, 1, MPI_INT, gathered_.data(), 1, MPI_INT, root_, comm, MPI_INFO_NULL,
                            next());
            MPI_Scatter_init(scattered_.data(), 1, MPI_INT, &part_, 1, MPI_INT, root_, comm, MPI_INFO_NULL,
                             next());
            MPI_Allgather_init(&own_value_, 1, MPI_INT, all_.data(), 1, MPI_INT, comm, MPI_INFO_NULL, next());
            MPI_Alltoall_init(out_.data(), 1, MPI_INT, in_.data(), 1, MPI_INT, comm, MPI_INFO_NULL, next());
            MPI_Reduce_scatter_init(blocks_.data(), block_.data(), counts_.data(), MPI_INT, MPI_SUM, comm,
                                    MPI_INFO_NULL, next());
        } else {
            MPI_Ibarrier(comm, next());
            MPI_Ibcast(&word_, 1, MPI_INT, root_, comm, next());
            MPI_Ireduce(&own_value_, &sum_, 1, MPI_INT, MPI_SUM, root_, comm, next());
            MPI_Iallreduce(&own_value_, &all_sum_, 1, MPI_INT, MPI_SUM, comm, next());
            MPI_Igather(&own_value_, 1, MPI_INT, gathered_.data(), 1, MPI_INT, root_, comm, next());
            MPI_Iscatter(scattered_.data(), 1, MPI_INT, &part_, 1, MPI_INT, root_, comm, next());
            MPI_Iallgather(&own_value_, 1, MPI_INT, all_.data(), 1, MPI_INT, comm, next());
            MPI_Ialltoall(out_.data(), 1, MPI_INT, in_.data(), 1, MPI_INT, comm, next());
            MPI_Ireduce_scatter(blocks_.data(), block_.data(), counts_.data(), MPI_INT, MPI_SUM, comm,
                                next());
        }
    }

    void fill(int seed) {
        seed_ = seed;
        own_value_ = seed + ranks_.rank;
        word_ = at_root_ ? seed : -1;
        sum_ = all_sum_ = part_ = -1;
        gathered_.assign(remote_, -1);
        all_.assign(remote_, -1);
        in_.assign(remote_, -1);
        block_.assign(remote_, -1);
        for (std::size_t i = 0; i < remote_; ++i) {
            scattered_[i] = seed + 10 * static_cast<int>(i);
            out_[i] = seed + 100 * ranks_.rank + static_cast<int>(i);
        }
        blocks_.assign(own_ * remote_, seed);
    }

    void check_all() const {
        check(word_ == (groups_.in_first && !at_root_ ? -1 : seed_), "Ibcast");
        check(!at_root_ || sum_ == remote_sum(), "Ireduce");
        check(all_sum_ == remote_sum(), "Iallreduce");
        check(groups_.in_first || part_ == seed_ + 10 * ranks_.rank, "Iscatter");
        for (std::size_t i = 0; i < remote_; ++i) {
            const int rank = static_cast<int>(i);
            check(!at_root_ || gathered_[i] == seed_ + rank, "Igather");
            check(all_[i] == seed_ + rank, "Iallgather");
            check(in_[i] == seed_ + 100 * rank + ranks_.rank, "Ialltoall");
            check(block_[i] == seed_ * groups_.remote_size, "Ireduce_scatter");
        }
    }

  private:
    [[nodiscard]] int remote_sum() const {
        return groups_.remote_size * seed_ + groups_.remote_size * (groups_.remote_size - 1) / 2;
    }

    const TwoGroups& groups_;
    Ranks ranks_;
    bool at_root_;
    int root_;
    std::size_t remote_;
    std::size_t own_;
    int seed_ = 0;
    int own_value_ = 0;
    int word_ = 0;
    int sum_ = 0;
    int all_sum_ = 0;
    int part_ = 0;
    std::vector<int> gathered_ = std::vector<int>(remote_);
    std::vector<int> scattered_ = std::vector<int>(remote_);
    std::vector<int> all_ = std::vector<int>(remote_);
    std::vector<int> out_ = std::vector<int>(remote_);
    std::vector<int> in_ = std::vector<int>(remote_);
    std::vector<int> blocks_ = std::vector<int>(own_ * remote_);
    std::vector<int> block_ = std::vector<int>(remote_);
    std::vector<int> counts_ = std::vector<int>(own_, static_cast<int>(remote_));
};

/// The communicator's handle is gone while the calls are under way.
void nonblocking(const TwoGroups& groups) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(groups.inter, &copy);
    ManyAtOnce calls(groups);
    std::vector<MPI_Request> requests;
    calls.fill(1000);
    calls.start(copy, requests, /*persistent=*/false);
    MPI_Comm_free(&copy);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    calls.check_all();
}

void persistent(const TwoGroups& groups) {
    ManyAtOnce calls(groups);
    std::vector<MPI_Request> requests;
    calls.fill(0);
    calls.start(groups.inter, requests, /*persistent=*/true);
    for (int seed = 1; seed < 4; ++seed) {
        calls.fill(seed);
        MPI_Startall(static_cast<int>(requests.size()), requests.data());
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        calls.check_all();
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
}

/// Gaps in the data, and operations and roots that make no sense.
void edges(const TwoGroups& groups) {
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    int data[3] = {groups.in_first ? 5 : -1, 6, groups.in_first ? 7 : -1};
    const bool at_root = groups.in_first && Ranks(groups.inter).rank == 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, 1, every_other, groups.in_first ? (at_root ? MPI_ROOT : MPI_PROC_NULL) : 0, groups.inter,
               &request);
    MPI_Type_free(&every_other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(data[0] == 5 && data[1] == 6 && data[2] == 7, "Ibcast of data with gaps");

    MPI_Comm_set_errhandler(groups.inter, MPI_ERRORS_RETURN);
    check(MPI_Ibcast(data, 1, MPI_INT, groups.remote_size, groups.inter, &request) == MPI_ERR_ROOT,
          "a root that the remote group does not have");
    check(MPI_Iallreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, groups.inter, &request) == MPI_ERR_BUFFER,
          "in place");
    check(MPI_Scan(data, data + 1, 1, MPI_INT, MPI_SUM, groups.inter) == MPI_ERR_COMM, "a scan");
    check(request == MPI_REQUEST_NULL, "no request after an error");
}

void run(const Mpi& mpi, int first) {
    const TwoGroups groups(mpi, first);
    shape(mpi, groups);
    messages(mpi, groups);
    duplicate(groups);
    merge(mpi, groups);
    split(groups);
    create(groups);
    rooted(groups);
    rootless(mpi, groups);
    nonblocking(groups);
    persistent(groups);
    edges(groups);
}

}  // namespace

int main() {
    const Mpi mpi;
    for (const int first : {1, mpi.size / 2, mpi.size - 1}) run(mpi, first);
}
