#pragma once
// Two ends of a shared-memory channel in one process.

#include <cstddef>
#include <span>

#include "runtime/ring/channel.hpp"
#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/block.hpp"

namespace rb2::ring::test {

using rb2::test::Block;

/// Both directions with the same parameters.
class ShmPair {
  public:
    explicit ShmPair(const Parameters& parameters)
        : memory_a_(ShmChannel::block_bytes(parameters.slots)),
          memory_b_(ShmChannel::block_bytes(parameters.slots)),
          a_(formatted(memory_a_, parameters), formatted(memory_b_, parameters), parameters, parameters),
          b_(block_b(), block_a(), parameters, parameters) {}

    [[nodiscard]] ShmChannel& a() noexcept { return a_; }
    [[nodiscard]] ShmChannel& b() noexcept { return b_; }
    [[nodiscard]] std::span<std::byte> block_a() noexcept { return memory_a_.bytes(); }
    [[nodiscard]] std::span<std::byte> block_b() noexcept { return memory_b_.bytes(); }

  private:
    static std::span<std::byte> formatted(Block& block, const Parameters& parameters) {
        if (parameters.start == 0) return block.bytes();  // zeroed memory must do
        format<mix::Rb2InPlace>(block.bytes(), {.inbound_slots = parameters.slots}, parameters);
        return block.bytes();
    }

    Block memory_a_;
    Block memory_b_;
    ShmChannel a_;
    ShmChannel b_;
};

/// Any mix over shared memory, with blocks as a network would have them and immediates. `Memory` as for
/// FakePairOf.
template <class M, class Memory = RingMemory>
class ShmPairOf {
  public:
    using Mix = M;
    using Endpoint = fabric::shm::Endpoint;
    using Channel = RingChannel<M, Endpoint>;

    explicit ShmPairOf(const Parameters& parameters)
        : layout_(block_layout<M, Memory>(parameters)),
          memory_a_(layout_),
          memory_b_(layout_),
          endpoint_a_({.own = formatted(memory_a_, parameters),
                       .peer = formatted(memory_b_, parameters),
                       .outgoing = &a_to_b_,
                       .incoming = &b_to_a_}),
          endpoint_b_({.own = memory_b_.bytes(),
                       .peer = memory_a_.bytes(),
                       .outgoing = &b_to_a_,
                       .incoming = &a_to_b_}),
          a_(endpoint_a_, blocks(memory_a_), parameters, parameters),
          b_(endpoint_b_, blocks(memory_b_), parameters, parameters) {}

    [[nodiscard]] Channel& a() noexcept { return a_; }
    [[nodiscard]] Channel& b() noexcept { return b_; }

  private:
    static std::span<std::byte> formatted(Memory& block, const Parameters& parameters) {
        format<M>(block.bytes(), block_layout<M, Memory>(parameters), parameters);
        return block.bytes();
    }
    [[nodiscard]] BlockPair blocks(Memory& own) const {
        return {.own = own.bytes().data(), .own_layout = layout_, .own_key = 0, .peer = {}};
    }

    BlockLayout layout_;
    Memory memory_a_;
    Memory memory_b_;
    fabric::shm::ImmQueue a_to_b_;
    fabric::shm::ImmQueue b_to_a_;
    Endpoint endpoint_a_;
    Endpoint endpoint_b_;
    Channel a_;
    Channel b_;
};

/// The network's mix, RB² with a sender copy, over shared memory.
using MirroredShmPair = ShmPairOf<mix::Rb2>;

}  // namespace rb2::ring::test
