#pragma once
// The bindings of collectives over intercommunicators, in all three ways to call them. Each returns the error
// class.

#include "mpi.h"
#include "mpi/collective_call.hpp"
#include "mpi/parts.hpp"

namespace rb2::mpi::inter {

int barrier(const Invocation& invocation);
int broadcast(const Invocation& invocation, void* buffer, Elements data, int root);
int reduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, Elements data, MPI_Op op,
           int root);
int allreduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, Elements data, MPI_Op op);

// Parts (parts.hpp) say what goes to, or comes from, each rank of the remote group. Those of a call with a
// root are used at the root only.

template <class InParts>
int gather(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, const InParts& in,
           int root) {
    Call call(invocation, Call::Groups::two);
    const collective::inter::Root place = call.check_inter_root(root);
    std::vector<Block> blocks;
    if (place.here())
        blocks = in.take_output(call, recvbuf, static_cast<std::size_t>(call.size()), Use::output);
    const std::size_t bytes = place.across() ? call.take_input(sendbuf, out) : 0;
    return call.perform_across([&](collective::Schedule& steps) {
        collective::inter::gather(steps, bytes_at(sendbuf, bytes), static_cast<std::byte*>(recvbuf), blocks,
                                  place);
    });
}

template <class OutParts>
int scatter(const Invocation& invocation, const void* sendbuf, const OutParts& out, void* recvbuf,
            Elements in, int root) {
    Call call(invocation, Call::Groups::two);
    const collective::inter::Root place = call.check_inter_root(root);
    std::vector<Block> blocks;
    if (place.here()) blocks = out.take_input(call, sendbuf, static_cast<std::size_t>(call.size()));
    const std::size_t room = place.across() ? call.take_output(recvbuf, in) : 0;
    return call.perform_across([&](collective::Schedule& steps) {
        collective::inter::scatter(steps, static_cast<const std::byte*>(sendbuf), blocks,
                                   bytes_at(recvbuf, room), place);
    });
}

/// Every rank has something for every remote one.
template <class OutParts, class InParts>
int exchange(const Invocation& invocation, const void* sendbuf, const OutParts& out, void* recvbuf,
             const InParts& in) {
    Call call(invocation, Call::Groups::two);
    const auto ranks = static_cast<std::size_t>(call.size());
    const std::vector<Block> in_blocks = in.take_output(call, recvbuf, ranks, Use::output);
    const std::vector<Block> out_blocks = out.take_input(call, sendbuf, ranks);
    return call.perform_across([&](collective::Schedule& steps) {
        collective::inter::exchange(steps, static_cast<const std::byte*>(sendbuf), out_blocks,
                                    static_cast<std::byte*>(recvbuf), in_blocks);
    });
}

}  // namespace rb2::mpi::inter
