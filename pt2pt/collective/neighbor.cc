// Exchange with the neighbours of a topology: all messages under way at once, as each is another rank's.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {

template <Steps S>
void neighbor_exchange(S& steps, const std::byte* in, std::span<const Piece> sends, std::byte* out,
                       std::span<const Piece> receives) {
    for (const Piece& piece : receives)
        steps.receive({out + piece.block.offset, piece.block.bytes}, piece.peer);
    for (const Piece& piece : sends) steps.send({in + piece.block.offset, piece.block.bytes}, piece.peer);
}

template void neighbor_exchange(Immediate&, const std::byte*, std::span<const Piece>, std::byte*,
                                std::span<const Piece>);
template void neighbor_exchange(Schedule&, const std::byte*, std::span<const Piece>, std::byte*,
                                std::span<const Piece>);

}  // namespace rb2::collective
