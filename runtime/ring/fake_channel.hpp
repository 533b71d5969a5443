#pragma once
// Two ends of a channel in one thread, over the counting fabric: the RB² mix as it will run on a network,
// made deterministic. For tests of the layers above as well as of the ring itself.

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::ring {

/// `E`: fake::Endpoint, or fake::OrderedEndpoint for mixes that need ordered bytes.
template <class M, class E = fabric::fake::Endpoint>
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
            : layout_{.inbound_slots = parameters.slots,
                      .mirror_slots =
                          M::Placement::kStaged ? M::Layout::max_slots(parameters) : parameters.slots,
                      .slot_bytes = M::Layout::kSlotBytes},
              lines_((layout_.bytes() + sizeof(Line) - 1) / sizeof(Line)),
              region_(endpoint.register_memory(bytes())) {
            auto* const words = reinterpret_cast<Words*>(bytes().data());
            format<M>(bytes().data() + BlockLayout::kSlots, &words->local_head, &words->local_tail,
                      parameters);
        }

        [[nodiscard]] std::span<std::byte> bytes() noexcept {
            return {reinterpret_cast<std::byte*>(lines_.data()), layout_.bytes()};
        }
        [[nodiscard]] BlockPair blocks(const End& peer) noexcept {
            return {.own = bytes().data(),
                    .own_layout = layout_,
                    .own_key = region_.key(),
                    .peer = peer.region_.remote()};
        }

      private:
        struct alignas(kLinePairBytes) Line {
            std::byte bytes[kLinePairBytes];
        };
        BlockLayout layout_;
        std::vector<Line> lines_;
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
