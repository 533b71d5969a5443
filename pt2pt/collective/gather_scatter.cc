// Gather and scatter, linear: the root exchanges one message with each rank, all under way at once.
//
// The data of all ranks ends (or starts) in the root's memory anyway, and between ranks of one machine each
// message is copied once. A tree (Thakur, Rabenseifner, Gropp 2005, section 4.2) would save the root
// messages, but send most bytes log2 n times.

#include <cstring>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
}

}  // namespace

Status gather(Communicator& communicator, std::span<const std::byte> contribution, std::byte* all,
              std::span<const Block> blocks, int root) {
    Exchange exchange(communicator);
    if (exchange.rank() != root) return exchange.send(contribution, root);
    std::vector<pt2pt::Request*> requests;
    for (int rank = 0; rank < exchange.size(); ++rank) {
        const Block& block = blocks[static_cast<std::size_t>(rank)];
        if (rank != root)
            requests.push_back(exchange.start_receive({all + block.offset, block.bytes}, rank));
        else if (contribution.data() != nullptr)
            copy(all + block.offset, contribution.data(), contribution.size());
    }
    return exchange.finish(requests);
}

Status scatter(Communicator& communicator, const std::byte* all, std::span<const Block> blocks,
               std::span<std::byte> part, int root) {
    Exchange exchange(communicator);
    if (exchange.rank() != root) return exchange.receive(part, root);
    std::vector<pt2pt::Request*> requests;
    for (int rank = 0; rank < exchange.size(); ++rank) {
        const Block& block = blocks[static_cast<std::size_t>(rank)];
        if (rank != root)
            requests.push_back(exchange.start_send({all + block.offset, block.bytes}, rank));
        else if (part.data() != nullptr)
            copy(part.data(), all + block.offset, block.bytes);
    }
    return exchange.finish(requests);
}

}  // namespace rb2::collective
