#pragma once
// Two ends of a channel in one thread, over the counting fabric: the RB² mix as it will run on a network,
// made deterministic. For tests of the layers above as well as of the ring itself.

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::ring {

/// Zeroed memory on a line pair boundary: of a block whose rings are not circular.
class RingMemory {
  public:
    static constexpr std::size_t kPageBytes = 0;  ///< BlockLayout::page_bytes

    explicit RingMemory(std::size_t bytes)
        : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)), bytes_(bytes) {}
    explicit RingMemory(const BlockLayout& layout) : RingMemory(layout.bytes()) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept {
        return {reinterpret_cast<std::byte*>(lines_.data()), bytes_};
    }

  private:
    struct alignas(kLinePairBytes) Line {
        std::byte data[kLinePairBytes];
    };
    std::vector<Line> lines_;
    std::size_t bytes_;
};

/// The block of a pair whose both directions have the same parameters.
template <class M, class Memory>
[[nodiscard]] BlockLayout block_layout(const Parameters& parameters) {
    return {.inbound_slots = parameters.slots,
            .mirror_slots = M::Placement::kStaged && !M::Layout::kCircular  // that one is of whole pages
                                ? M::Layout::max_slots(parameters)
                                : parameters.slots,
            .slot_bytes = M::Layout::kSlotBytes,
            .page_bytes = Memory::kPageBytes};
}

/// Prepares a block of that layout for rings of that mix.
template <class M>
void format(std::span<std::byte> block, const BlockLayout& layout, const Parameters& parameters) {
    auto* const words = reinterpret_cast<Words*>(block.data());
    format<M>(block.data() + layout.slots(), &words->local_head, &words->local_tail, parameters);
}

/// `E`: fake::Endpoint, or fake::OrderedEndpoint for mixes that need ordered bytes. `Memory`: RingMemory, or
/// one that maps the rings twice where the mix wants that.
template <class M, class E = fabric::fake::Endpoint, class Memory = RingMemory>
class FakePairOf {
  public:
    using Channel = RingChannel<M, E>;

    /// Both rings get the same parameters.
    explicit FakePairOf(const Parameters& parameters, const fabric::fake::Options& options = {})
        : link_(options),
          end_a_(link_.a(), parameters),
          end_b_(link_.b(), parameters),
          a_(link_.a(), end_a_.blocks(end_b_), parameters, parameters),
          b_(link_.b(), end_b_.blocks(end_a_), parameters, parameters) {}

    [[nodiscard]] Channel& a() noexcept { return a_; }
    [[nodiscard]] Channel& b() noexcept { return b_; }
    [[nodiscard]] fabric::fake::LinkOf<E>& link() noexcept { return link_; }
    /// The block the side owns, as in layout.hpp.
    [[nodiscard]] std::span<std::byte> block_a() noexcept { return end_a_.bytes(); }
    [[nodiscard]] std::span<std::byte> block_b() noexcept { return end_b_.bytes(); }

  private:
    /// One side's registered block, formatted.
    class End {
      public:
        End(fabric::fake::Endpoint& endpoint, const Parameters& parameters)
            : layout_(block_layout<M, Memory>(parameters)),
              memory_(layout_),
              region_(endpoint.register_memory(bytes())) {
            format<M>(bytes(), layout_, parameters);
        }

        [[nodiscard]] std::span<std::byte> bytes() noexcept { return memory_.bytes(); }
        [[nodiscard]] BlockPair blocks(const End& peer) noexcept {
            return {.own = bytes().data(),
                    .own_layout = layout_,
                    .own_key = region_.key(),
                    .peer = peer.region_.remote()};
        }

      private:
        BlockLayout layout_;
        Memory memory_;
        fabric::fake::Region region_;
    };

    fabric::fake::LinkOf<E> link_;
    End end_a_;
    End end_b_;
    Channel a_;
    Channel b_;
};

using FakePair = FakePairOf<mix::Rb2>;
using FakeChannel = FakePair::Channel;

}  // namespace rb2::ring
