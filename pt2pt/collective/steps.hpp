#pragma once
// What a collective algorithm is made of: steps, in rounds.
//
// T. Hoefler, A. Lumsdaine, W. Rehm, "Implementation and Performance Analysis of Non-Blocking Collective
// Operations for MPI", SC07, 2007 (LibNBC): a collective is a schedule of sends, receives, reductions and
// copies; those of one round may go on at the same time, and a barrier ends the round. An algorithm here is a
// function that says its steps, in order, to an object of a type that is Steps. It is written once: Immediate
// does the steps as they come (blocking calls), Schedule notes them down, to be executed while the rank does
// other things (nonblocking and persistent calls). So what an algorithm does may depend on rank, size and
// numbers of bytes, but not on data. Differs from the paper in: copies and reductions are done in their order
// among the steps, not at the end of a round.

#include <concepts>
#include <cstddef>
#include <span>

#include "pt2pt/collective/reduction.hpp"

namespace rb2::collective {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// What every type of steps offers, with these meanings. Errors are remembered, and the steps go on, so that
/// other ranks are not left waiting.
///
///     rank(), size()            the own place in the communicator
///     crowded()                 whether ranks share CPUs; the same in all ranks
///     scratch(bytes)            memory that stays until all steps are done; throws std::bad_alloc
///     send(data, to)            to a rank of the communicator; `data` must not change before wait()
///     receive(data, from)       `data` has the bytes after wait()
///     copy(from, to)            `to` has room for `from`; the two may overlap
///     combine(reduction, in, inout)   inout = in op inout; the same reduction in all steps
///     call(function, argument)  what else is to be done here; `argument` stays until all steps are done
///     wait()                    ends the round: what was begun is finished before the next step begins
///
/// Messages between two ranks match in the order in which both name them. A step that needs what another
/// one received, or changes what another one sends, stands behind a wait(). The last round needs none.
template <class S>
concept Steps = requires(S& steps, Bytes in, MutableBytes out, std::byte* to, const Reduction& reduction,
                         std::size_t bytes, int rank, void (*function)(const void*)) {
    { steps.rank() } -> std::same_as<int>;
    { steps.size() } -> std::same_as<int>;
    { steps.crowded() } -> std::same_as<bool>;
    { steps.scratch(bytes) } -> std::same_as<MutableBytes>;
    { steps.send(in, rank) } -> std::same_as<void>;
    { steps.receive(out, rank) } -> std::same_as<void>;
    { steps.copy(in, to) } -> std::same_as<void>;
    { steps.combine(reduction, in, out) } -> std::same_as<void>;
    { steps.call(function, to) } -> std::same_as<void>;
    { steps.wait() } -> std::same_as<void>;
};

}  // namespace rb2::collective
