// Reduce on a binomial tree.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), section 4.5, the short-message algorithm: in round k
// the ranks whose bit k is set send what they have to the rank without it, so the partial results always
// cover a run of consecutive ranks and are combined in order. An operation that is not commutative is reduced
// to rank 0, whose tree needs no rotation of the ranks, and sent on to the root.

#include <cstring>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

/// Leaves the result in `mine` at `top`; `mine` and `other` are used up elsewhere.
Status reduce_to(Exchange& exchange, std::vector<std::byte>& mine, const Reduction& reduction, int top) {
    const int size = exchange.size();
    const int relative = (exchange.rank() + size - top) % size;
    std::vector<std::byte> other(mine.size());
    for (int bit = 1; bit < size; bit *= 2) {
        if ((relative & bit) != 0) return exchange.send(mine, (relative - bit + top) % size);
        if (relative + bit >= size) continue;
        const Status status = exchange.receive(other, (relative + bit + top) % size);
        if (status != Status::ok) return status;
        combine(reduction, mine, other);
        mine.swap(other);
    }
    return Status::ok;
}

void copy_out(const std::vector<std::byte>& from, MutableBytes to) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

Status reduce(Communicator& communicator, std::span<const std::byte> contribution,
              std::span<std::byte> result, const Reduction& reduction, int root) {
    Exchange exchange(communicator);
    const int top = reduction.commutative ? root : 0;
    std::vector<std::byte> mine(contribution.begin(), contribution.end());
    Status status = reduce_to(exchange, mine, reduction, top);
    if (status == Status::ok && top != root && exchange.rank() == top) status = exchange.send(mine, root);
    if (status == Status::ok && top != root && exchange.rank() == root) status = exchange.receive(mine, top);
    if (status == Status::ok && exchange.rank() == root) copy_out(mine, result);
    return status;
}

}  // namespace rb2::collective
