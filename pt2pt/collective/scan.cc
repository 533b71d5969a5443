// Scan and exclusive scan by distance doubling.
//
// W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29(12), 1986, section
// "All Partial Sums of an Array": in round k rank r passes what it has to r + 2^k and puts what comes from
// r - 2^k in front of it, so that after ceil(log2 n) rounds it covers all ranks up to itself. Any number of
// ranks; what is combined are neighbouring runs of ranks, in order, so operations need not commute. Differs
// from the paper in: the exclusive scan, which combines what comes a second time, without the own value.

#include <algorithm>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

/// Calls `take(lower, first)` with what comes in each round, before it joins `covered`: the combined data of
/// the ranks just below those taken until then.
template <class Take>
Status double_up(Communicator& communicator, MutableBytes covered, const Reduction& reduction, Take take) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    const int rank = exchange.rank();
    std::vector<std::byte> lower(covered.size());
    for (int distance = 1; distance < size; distance *= 2) {
        pt2pt::Request* incoming = nullptr;
        if (rank >= distance) {
            incoming = exchange.start_receive(lower, rank - distance);
            if (incoming == nullptr) return Status::out_of_memory;
        }
        const Status sent = rank + distance < size ? exchange.send(covered, rank + distance) : Status::ok;
        const Status received = incoming != nullptr ? exchange.finish(incoming) : Status::ok;
        if (sent != Status::ok) return sent;
        if (received != Status::ok) return received;
        if (rank < distance) continue;
        take(lower, distance == 1);
        combine(reduction, lower, covered);
    }
    return Status::ok;
}

}  // namespace

Status scan(Communicator& communicator, std::span<std::byte> data, const Reduction& reduction) {
    return double_up(communicator, data, reduction, [](const auto&, bool) {});
}

Status exclusive_scan(Communicator& communicator, std::span<const std::byte> contribution,
                      std::span<std::byte> result, const Reduction& reduction) {
    std::vector<std::byte> covered(contribution.begin(), contribution.end());
    return double_up(communicator, covered, reduction, [&](const std::vector<std::byte>& lower, bool first) {
        if (first)
            std::copy(lower.begin(), lower.end(), result.begin());
        else
            combine(reduction, lower, result);
    });
}

}  // namespace rb2::collective
