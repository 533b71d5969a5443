// One misuse per run, named by the first argument, with the default error handler: the job must end with a
// message.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "mpi.h"

namespace {

int value = 0;

int own_rank() {
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void truncated() {
    const int rank = own_rank();
    const int out[4] = {1, 2, 3, 4};
    if (rank == 0) MPI_Send(out, 4, MPI_INT, 1, 6, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // The others, and the sender, wait: the job's end must reach them.
    MPI_Barrier(MPI_COMM_WORLD);
}

MPI_Datatype made_datatype() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    return type;
}
MPI_Datatype freed_datatype() {
    MPI_Datatype type = made_datatype();
    const MPI_Datatype stale = type;
    MPI_Type_free(&type);
    return stale;
}
void send_one(MPI_Datatype type) {
    const int ints[4] = {};
    MPI_Send(ints, 1, type, 0, 0, MPI_COMM_WORLD);
}

void wait_for_garbage() {
    auto* request = reinterpret_cast<MPI_Request>(&value);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Rank 0 goes on to MPI_Finalize.
void receive_from_finalized() {
    if (own_rank() == 1) MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_to_finalized() {
    if (own_rank() == 1) MPI_Ssend(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
}

void one_never_finalized() {
    if (own_rank() == 0) std::exit(0);
    MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

const std::map<std::string, std::function<void()>> kMisuses = {
    {"rank", [] { MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); }},
    {"count", [] { MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); }},
    {"tag", [] { MPI_Send(&value, 1, MPI_INT, 0, -44, MPI_COMM_WORLD); }},
    {"buffer", [] { MPI_Send(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }},
    {"comm", [] { MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL); }},
    {"datatype", [] { MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD); }},
    {"uncommitted", [] { send_one(made_datatype()); }},
    {"freed_datatype", [] { send_one(freed_datatype()); }},
    {"request", wait_for_garbage},
    {"truncate", truncated},
    {"receive_from_finalized", receive_from_finalized},
    {"send_to_finalized", send_to_finalized},
    {"abort", [] { MPI_Abort(MPI_COMM_WORLD, 42); }},
    {"never_finalized", [] { std::exit(0); }},
    {"one_never_finalized", one_never_finalized},
};

}  // namespace

int main(int argc, char** argv) {
    const std::string misuse = argc > 1 ? argv[1] : "";
    if (misuse == "before_init") MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Init(&argc, &argv);
    if (misuse != "after_finalize") kMisuses.at(misuse)();
    MPI_Finalize();
    if (misuse == "after_finalize") MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    std::puts("the misuse went unnoticed");
    return 0;
}
