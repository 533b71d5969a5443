#pragma once
// Two ends of a channel of any mix over a TCP connection.

#include <stdexcept>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp::test {

template <class M>
class RingPair {
  public:
    using Channel = ring::RingChannel<M, Endpoint>;

    explicit RingPair(const ring::Parameters& parameters, Options options_a = options(0),
                      Options options_b = options(1))
        : link_(driven(std::move(options_a)), driven(std::move(options_b))),
          layout_(ring::block_layout<M, ring::RingMemory>(parameters)),
          memory_a_(layout_),
          memory_b_(layout_),
          region_a_(link_.end_a().register_memory(formatted(memory_a_, parameters))),
          region_b_(link_.end_b().register_memory(formatted(memory_b_, parameters))),
          a_(link_.end_a(), blocks(region_a_, region_b_), parameters, parameters),
          b_(link_.end_b(), blocks(region_b_, region_a_), parameters, parameters) {
        if (!link_.connect()) throw std::runtime_error("no connection: " + link_.end_a().cause());
    }

    [[nodiscard]] Channel& a() noexcept { return a_; }
    [[nodiscard]] Channel& b() noexcept { return b_; }
    [[nodiscard]] Link& link() noexcept { return link_; }

  private:
    static Options driven(Options options) {
        options.driven = true;
        return options;
    }
    std::span<std::byte> formatted(ring::RingMemory& memory, const ring::Parameters& parameters) const {
        ring::format<M>(memory.bytes(), layout_, parameters);
        return memory.bytes();
    }
    [[nodiscard]] ring::BlockPair blocks(const Region& own, const Region& peer) const {
        return {
            .own = own.bytes().data(), .own_layout = layout_, .own_key = own.key(), .peer = peer.remote()};
    }

    Link link_;
    ring::BlockLayout layout_;
    ring::RingMemory memory_a_;
    ring::RingMemory memory_b_;
    Region region_a_;
    Region region_b_;
    Channel a_;
    Channel b_;
};

}  // namespace rb2::fabric::tcp::test
