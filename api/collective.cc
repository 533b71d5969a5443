// Collectives of the C++ interface.

#include "pt2pt/collective/collective.hpp"

#include <fmt/format.h>

#include <cstring>

#include "api/errors.hpp"
#include "pt2pt/describe.hpp"
#include "rb2/communicator.hpp"

namespace rb2 {

using detail::Call;

namespace {

Result<void> result_of(const Call& call, Status status) {
    if (status == Status::ok) return {};
    return message_error(call, status,
                         status == Status::truncated ? "another rank gave more bytes than this one expects"
                                                     : "a message to or from another rank failed");
}

std::optional<Error> wrong_root(const Call& call, int root) {
    if (!usable(call.state)) return why_not_send(call);
    const pt2pt::Communicator& here = *call.state->communicator;
    if (here.has_rank(root)) return std::nullopt;
    return argument_error(call, pt2pt::not_a_rank(here, "root", root),
                          "use a rank from 0 to size() - 1, the same on all");
}

collective::Reduction reduction_of(const detail::Combine& combine) {
    return {combine.apply, combine.element_bytes, combine.commutative, combine.argument};
}

}  // namespace

Result<void> Communicator::barrier() const {
    const Call call{"Communicator::barrier", state_.get()};
    if (!usable(state_.get())) return *why_not_send(call);
    return result_of(call, collective::barrier(*state_->communicator));
}

Result<void> Communicator::bcast_bytes(MutableBytes data, int root) const {
    const Call call{"Communicator::bcast", state_.get()};
    if (auto error = wrong_root(call, root)) return *error;
    return result_of(call, collective::broadcast(*state_->communicator, data, root));
}

Result<void> Communicator::reduce_bytes(Bytes data, MutableBytes result, const detail::Combine& combine,
                                        int root) const {
    const Call call{"Communicator::reduce", state_.get()};
    if (auto error = wrong_root(call, root)) return *error;
    if (rank() == root && result.size() != data.size())
        return argument_error(call,
                              fmt::format("the result has {} bytes, the data {}", result.size(), data.size()),
                              "give the root a result of the same size");
    return result_of(call,
                     collective::reduce(*state_->communicator, data, result, reduction_of(combine), root));
}

Result<void> Communicator::allreduce_bytes(MutableBytes data, const detail::Combine& combine) const {
    const Call call{"Communicator::allreduce", state_.get()};
    if (!usable(state_.get())) return *why_not_send(call);
    return result_of(call, collective::allreduce(*state_->communicator, data, reduction_of(combine)));
}

Result<void> Communicator::allgather_bytes(Bytes block, MutableBytes all) const {
    const Call call{"Communicator::allgather", state_.get()};
    if (!usable(state_.get())) return *why_not_send(call);
    const auto ranks = static_cast<std::size_t>(size());
    if (all.size() != block.size() * ranks)
        return argument_error(call,
                              fmt::format("{} bytes for {} blocks of {}", all.size(), ranks, block.size()),
                              "receive into size() times as many elements as each rank gives");
    if (!block.empty())
        std::memmove(all.data() + static_cast<std::size_t>(rank()) * block.size(), block.data(),
                     block.size());
    return result_of(call, collective::allgather(*state_->communicator, all));
}

}  // namespace rb2
