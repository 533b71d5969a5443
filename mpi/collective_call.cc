#include "mpi/collective_call.hpp"

#include "mpi/request.hpp"

namespace rb2::mpi {

int Call::hand_out(std::shared_ptr<collective::Execution> execution) const {
    const MessageCall what{function(), nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, invocation_.comm};
    if (free_requests == nullptr && !grow_request_pool()) return result(Status::out_of_memory);
    if (invocation_.way == Invocation::Way::persistent)
        return prepare_collective(std::move(execution), *comm_, what, invocation_.request);
    pt2pt::Request* const operation = collective::Execution::start(execution);
    if (operation == nullptr) return result(Status::out_of_memory);
    return start_request(RequestObject::Kind::collective, operation, *comm_, what, invocation_.request);
}

}  // namespace rb2::mpi
