// Nonblocking and persistent collectives: many under way at once, completed in every way and in any order,
// next to other traffic, after their communicator and operation are freed.
#include <algorithm>

#include "tests/mpi/programs/collective_cases.hpp"

namespace {

using namespace rb2::test;

/// How a set of requests is completed.
using Complete = void (*)(std::vector<MPI_Request>& requests);

void waitall(std::vector<MPI_Request>& requests) {
    std::vector<MPI_Status> statuses(requests.size());
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data()) == MPI_SUCCESS,
          "MPI_Waitall");
    for (const MPI_Status& status : statuses)
        check(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_ERROR == MPI_SUCCESS &&
                  count_of(status, MPI_BYTE) == 0,
              "the status of a collective is empty");
}
void wait_backwards(std::vector<MPI_Request>& requests) {
    for (std::size_t i = requests.size(); i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}
void test_each(std::vector<MPI_Request>& requests) {
    for (MPI_Request& request : requests)
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}
void testall(std::vector<MPI_Request>& requests) {
    for (int flag = 0; flag == 0;)
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
}
void waitany(std::vector<MPI_Request>& requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
        int index = -1;
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
        check(index >= 0, "index of MPI_Waitany");
    }
}
void waitsome(std::vector<MPI_Request>& requests) {
    std::vector<int> indices(requests.size());
    for (int done = 0, count = 0; done < static_cast<int>(requests.size()); done += count)
        MPI_Waitsome(static_cast<int>(requests.size()), requests.data(), &count, indices.data(),
                     MPI_STATUSES_IGNORE);
}
constexpr Complete kWays[] = {waitall, wait_backwards, test_each, testall, waitany, waitsome};

void check_all(const std::vector<Case>& cases, int seed) {
    for (const Case& each : cases) check(each.good(seed), each.name);
}

/// Every collective on both communicators, all started before the first is completed.
void all_at_once(const Ranks& one, const Ranks& other, int count, Complete complete) {
    std::vector<Case> cases = collective_cases(one, count, one.size - 1);
    for (Case& each : collective_cases(other, count + 1, 0)) cases.push_back(std::move(each));
    std::vector<MPI_Request> requests(cases.size());
    for (const Case& each : cases) each.fill(count);
    for (std::size_t i = 0; i < cases.size(); ++i)
        check(cases[i].start(&requests[i]) == MPI_SUCCESS, cases[i].name);
    complete(requests);
    for (const MPI_Request request : requests) check(request == MPI_REQUEST_NULL, "request after completion");
    check_all(cases, count);
}

/// Each prepared once and started several times, with other values each time.
void persistent(const Ranks& on, int count) {
    const std::vector<Case> cases = collective_cases(on, count, on.size / 2);
    std::vector<MPI_Request> requests(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i)
        check(cases[i].prepare(&requests[i]) == MPI_SUCCESS, cases[i].name);
    MPI_Status status;
    MPI_Wait(&requests[0], &status);  // inactive: returns at once
    check(status.MPI_SOURCE == MPI_ANY_SOURCE, "status of an inactive request");
    for (int seed = 1; seed < 5; ++seed) {
        for (const Case& each : cases) each.fill(seed);
        MPI_Startall(static_cast<int>(requests.size()), requests.data());
        kWays[seed](requests);
        check_all(cases, seed);
    }
    for (MPI_Request& request : requests)
        check(MPI_Request_free(&request) == MPI_SUCCESS, "MPI_Request_free");
}

/// Blocking collectives and messages between start and completion.
void between_other_traffic(const Ranks& on) {
    std::vector<Case> cases = collective_cases(on, 700, 0);
    std::vector<MPI_Request> requests(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        cases[i].fill(3);
        cases[i].start(&requests[i]);
        long sum = on.rank;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, on.comm);
        check(sum == on.size * (on.size - 1L) / 2, "MPI_Allreduce next to nonblocking ones");
        int token = on.rank;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (on.rank + 1) % on.size, 5,
                             (on.rank + on.size - 1) % on.size, MPI_ANY_TAG, on.comm, MPI_STATUS_IGNORE);
        check(token == (on.rank + on.size - 1) % on.size, "a message next to nonblocking collectives");
    }
    waitall(requests);
    check_all(cases, 3);
}

void keep_larger(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int i = 0; i < *length; ++i)
        static_cast<long*>(inout)[i] = std::max(static_cast<long*>(in)[i], static_cast<long*>(inout)[i]);
}

/// The handles are gone while the call is under way; its communicator and operation stay until it is done.
void handles_freed_meanwhile(const Ranks& on) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(on.comm, &copy);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(keep_larger, 1, &op);
    Values out = row(on.rank, 0, 3000, 1);
    Values in(out.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(out.data(), in.data(), 3000, MPI_LONG, op, copy, &request);
    MPI_Op_free(&op);
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in == row(on.size - 1, 0, 3000, 1), "MPI_Iallreduce with freed handles");
}

void in_place(const Ranks& on) {
    Values all(index(on.size) * 2, -1);
    std::copy_n(row(on.rank, 0, 2, 7).begin(), 2, all.begin() + 2L * on.rank);
    Values sum = row(on.rank, 0, 5000, 7);
    Values crossed = row(on.rank, 0, index(on.size), 7);
    std::vector<MPI_Request> requests(3);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 2, MPI_LONG, on.comm, &requests[0]);
    MPI_Iallreduce(MPI_IN_PLACE, sum.data(), 5000, MPI_LONG, MPI_SUM, on.comm, &requests[1]);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, crossed.data(), 1, MPI_LONG, on.comm, &requests[2]);
    waitall(requests);
    check(all == column(on, 0, 2, 7), "MPI_Iallgather in place");
    check(sum == sums(on.size, 0, 5000, 7), "MPI_Iallreduce in place");
    check(crossed == column(on, on.rank, 1, 7), "MPI_Ialltoall in place");
}

/// Nobody gets through before the last rank has come, and nobody gets rid of it either.
void barrier_holds(const Ranks& on, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    int word = 0;
    if (on.rank == 0) {
        for (int peer = 1; peer < on.size; ++peer)
            MPI_Recv(&word, 1, MPI_INT, peer, 8, on.comm, MPI_STATUS_IGNORE);  // after it tested in vain
        MPI_Ibarrier(comm, &request);
    } else {
        int flag = 0;
        MPI_Ibarrier(comm, &request);
        for (int i = 0; i < 100; ++i) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            check(flag == 0, "a barrier that not all have entered is not complete");
        }
        check(MPI_Request_free(&request) == MPI_ERR_REQUEST, "MPI_Request_free of a collective under way");
        check(MPI_Cancel(&request) == MPI_ERR_REQUEST, "MPI_Cancel of a collective");
        MPI_Send(&word, 1, MPI_INT, 0, 8, on.comm);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// More under way than any pool or list holds at the start.
void many(const Ranks& on) {
    constexpr int at_once = 600;
    std::vector<long> values(at_once, on.rank);
    std::vector<MPI_Request> requests(at_once);
    for (int i = 0; i < at_once; ++i)
        MPI_Iallreduce(MPI_IN_PLACE, &values[index(i)], 1, MPI_LONG, MPI_SUM, on.comm, &requests[index(i)]);
    waitall(requests);
    for (const long value : values) check(value == on.size * (on.size - 1L) / 2, "one of many");
}

void errors(const Ranks& on) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(on.comm, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Request request = MPI_REQUEST_NULL;
    int word = 0;
    check(MPI_Ibcast(&word, 1, MPI_INT, on.size, copy, &request) == MPI_ERR_ROOT, "root out of range");
    check(request == MPI_REQUEST_NULL, "no request after an error");
    std::vector<int> all(index(on.size) * 2);
    check(MPI_Alltoall(all.data(), 1, MPI_INT, all.data(), 2, MPI_INT, copy) == MPI_ERR_ARG,
          "MPI_Alltoall that gives less than it takes");
    check(MPI_Ialltoall(all.data(), 2, MPI_INT, all.data(), 1, MPI_INT, copy, &request) == MPI_ERR_TRUNCATE,
          "MPI_Ialltoall that gives more than it takes");
    barrier_holds(on, copy);
    // More than the receiver expects: it is told, and nobody is left waiting.
    std::vector<int> data(on.rank == 0 ? 8 : 4);
    MPI_Ibcast(data.data(), static_cast<int>(data.size()), MPI_INT, 0, copy, &request);
    const int result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(result == MPI_SUCCESS || result == MPI_ERR_TRUNCATE, "result of a truncated broadcast");
    check(on.rank != 1 || result == MPI_ERR_TRUNCATE, "a truncated broadcast");
    MPI_Comm_free(&copy);
}

}  // namespace

int main() {
    const Mpi mpi;
    const ReversedWorld reversed(mpi);
    const Ranks world(MPI_COMM_WORLD);
    const Ranks other(reversed.comm);
    for (const int count : {0, 1, 40, 3000})
        for (const Complete complete : kWays) all_at_once(world, other, count, complete);
    for (const int count : {1, 2500}) {
        persistent(world, count);
        persistent(other, count);
    }
    between_other_traffic(other);
    handles_freed_meanwhile(world);
    in_place(world);
    in_place(other);
    many(world);
    errors(world);
    return 0;
}
