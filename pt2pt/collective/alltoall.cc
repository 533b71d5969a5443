// Alltoall by pairwise exchange.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), section 4.4, the long-message algorithm: in step k
// rank r sends to r + k and receives from r - k, so that every rank is the target of one message at a time.

#include <cstring>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {

Status alltoall(Communicator& communicator, std::span<const std::byte> in, std::span<std::byte> out) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    const int rank = exchange.rank();
    const std::size_t block = in.size() / static_cast<std::size_t>(size);
    const auto at = [&](int peer) { return static_cast<std::size_t>(peer) * block; };
    if (block != 0) std::memcpy(out.data() + at(rank), in.data() + at(rank), block);
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        const int from = (rank + size - step) % size;
        const Status status =
            exchange.send_receive(in.subspan(at(to), block), to, out.subspan(at(from), block), from);
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

}  // namespace rb2::collective
