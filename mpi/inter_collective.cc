#include "mpi/inter_collective.hpp"

namespace rb2::mpi::inter {

using collective::Schedule;
using collective::inter::Root;

int barrier(const Invocation& invocation) {
    return Call(invocation, Call::Groups::two).perform_across([](Schedule& steps) {
        collective::inter::barrier(steps);
    });
}

int broadcast(const Invocation& invocation, void* buffer, Elements data, int root) {
    Call call(invocation, Call::Groups::two);
    const Root place = call.check_inter_root(root);
    std::size_t bytes = 0;
    if (place.here() || place.across())
        bytes = call.take_output(buffer, data, place.here() ? Use::input : Use::output);
    return call.perform_across(
        [&](Schedule& steps) { collective::inter::broadcast(steps, bytes_at(buffer, bytes), place); });
}

int reduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, Elements data, MPI_Op op,
           int root) {
    Call call(invocation, Call::Groups::two);
    const Root place = call.check_inter_root(root);
    std::size_t bytes = 0;
    if (place.here()) bytes = call.take_result(recvbuf, data);
    if (place.across()) bytes = call.take_contribution(sendbuf, data);
    const bool takes_part = place.here() || place.across();
    const Reduction reduction = takes_part ? call.check_op(op, data.datatype) : Reduction{};
    return call.perform_across([&](Schedule& steps) {
        collective::inter::reduce(steps, bytes_at(sendbuf, bytes), bytes_at(recvbuf, bytes), reduction,
                                  place);
    });
}

int allreduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, Elements data, MPI_Op op) {
    Call call(invocation, Call::Groups::two);
    call.take_contribution(sendbuf, data);
    const std::size_t bytes = call.take_result(recvbuf, data);
    const Reduction reduction = call.check_op(op, data.datatype);
    return call.perform_across([&](Schedule& steps) {
        collective::inter::allreduce(steps, bytes_at(sendbuf, bytes), bytes_at(recvbuf, bytes), reduction);
    });
}

}  // namespace rb2::mpi::inter
