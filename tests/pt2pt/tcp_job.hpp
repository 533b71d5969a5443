#pragma once
// Two engines in one thread that talk over real sockets, with counted system calls.

#include <array>
#include <memory>
#include <span>

#include "runtime/network/channel_over.hpp"
#include "tests/pt2pt/in_process.hpp"
#include "tests/runtime/fabric/tcp/ring_pair.hpp"

namespace rb2::pt2pt::testing {

/// Ranks 0 and 1.
class TcpJob {
  public:
    using Endpoint = fabric::tcp::Endpoint;
    // As runtime/network/tcp_network.cc has it.
    using Mix = ring::Mix<ring::head::LazyPush, ring::tail::PollMessage, ring::batching::None,
                          ring::placement::Mirrored>;
    using Channel = network::ChannelOver<Mix, Endpoint>;

    explicit TcpJob(const network::DirectParameters& direct, EngineConfig config = {},
                    const fabric::tcp::Io& io = fabric::tcp::kKernelIo)
        : link_(options(0, io), options(1, io)),
          sides_{Side(link_.end_a()), Side(link_.end_b())},
          transports_(2) {
        if (!link_.connect()) throw std::runtime_error("no connection: " + link_.end_a().cause());
        config.size = 2;
        for (std::size_t own = 0; own < 2; ++own) {
            channels_[own] = std::make_unique<Channel>(endpoint(own), sides_[own].registrar,
                                                       sides_[own].blocks(sides_[1 - own]), kParameters,
                                                       kParameters, direct);
            channels_[own]->open_to(sides_[1 - own].region.remote());
            auto& transport = transports_[own];
            transport.networks = {channels_[own].get(), channels_[own].get()};
            transport.notified.resize(2);
            transport.let_others_run = [this, own] { engines_[1 - own]->progress(); };
            transport.poll_network = [this, own] { return context(own).progress() ? 1 : 0; };
            config.rank = static_cast<int>(own);
            engines_.push_back(std::make_unique<TestEngine>(transport, config));
        }
    }

    /// The engine of that rank goes.
    void end(std::size_t rank) { engines_[rank].reset(); }

    TestEngine& operator[](std::size_t rank) { return *engines_[rank]; }
    fabric::tcp::Context& context(std::size_t rank) { return rank == 0 ? link_.a : link_.b; }
    Endpoint& endpoint(std::size_t rank) { return rank == 0 ? link_.end_a() : link_.end_b(); }
    /// Of that rank to the other one: what lies below its engine.
    network::Channel& channel(std::size_t rank) { return *channels_[rank]; }
    InProcessTransport& transport(std::size_t rank) { return transports_[rank]; }
    void progress_all() {
        for (auto& engine : engines_) engine->progress();
    }

  private:
    static inline const ring::Parameters kParameters = ring::Parameters::messaging(256);

    static fabric::tcp::Options options(std::uint32_t rank, const fabric::tcp::Io& io) {
        fabric::tcp::Options result = fabric::tcp::test::options(rank);
        result.driven = true;
        result.io = &io;
        return result;
    }

    class Registrar final : public network::Registrar {
      public:
        explicit Registrar(Endpoint& endpoint) noexcept : endpoint_(endpoint) {}
        std::unique_ptr<network::Pin> pin(std::span<const std::byte> memory,
                                          network::Access) noexcept override {
            auto* data = const_cast<std::byte*>(memory.data());
            return std::make_unique<Pin>(endpoint_.register_unwatched({data, memory.size()}));
        }

      private:
        class Pin final : public network::Pin {
          public:
            explicit Pin(fabric::tcp::Region region) noexcept : region_(std::move(region)) {}
            [[nodiscard]] fabric::Key key(std::size_t) const noexcept override { return region_.key(); }
            [[nodiscard]] network::Place place() const noexcept override {
                return {region_.remote().address, {region_.remote().key}};
            }

          private:
            fabric::tcp::Region region_;
        };

        Endpoint& endpoint_;
    };

    struct Side {
        explicit Side(Endpoint& endpoint)
            : layout(ring::block_layout<Mix, ring::RingMemory>(kParameters)),
              memory(std::make_unique<ring::RingMemory>(layout)),
              region(endpoint.register_memory(memory->bytes())),
              registrar(endpoint) {
            ring::format<Mix>(memory->bytes(), layout, kParameters);
        }
        [[nodiscard]] ring::BlockPair blocks(const Side& peer) const {
            return {.own = memory->bytes().data(),
                    .own_layout = layout,
                    .own_key = region.key(),
                    .peer = peer.region.remote()};
        }

        ring::BlockLayout layout;
        std::unique_ptr<ring::RingMemory> memory;
        fabric::tcp::Region region;
        Registrar registrar;
    };

    fabric::tcp::test::Link link_;
    std::array<Side, 2> sides_;
    std::array<std::unique_ptr<Channel>, 2> channels_;
    std::vector<InProcessTransport> transports_;
    std::vector<std::unique_ptr<TestEngine>> engines_;
};

}  // namespace rb2::pt2pt::testing
