#pragma once
// Two engines in one thread that share no memory: network channels over the counting fabric.

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "runtime/network/channel_over.hpp"
#include "runtime/ring/fake_channel.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt::testing {

/// Registers at a fake endpoint, and at that of another rail; counts, and fails when told to.
class FakeRegistrar final : public network::Registrar {
  public:
    FakeRegistrar(fabric::fake::Endpoint& endpoint, fabric::fake::Endpoint& further)
        : endpoint_(endpoint), further_(further) {}

    std::unique_ptr<network::Pin> pin(std::span<const std::byte> memory, network::Access) noexcept override {
        if (fail || (fail_every != 0 && ++attempts % fail_every == 0)) return nullptr;
        ++pins;
        if (on_pin) on_pin();
        // The fabric's regions are writable; this rank's sources are only read.
        auto* data = const_cast<std::byte*>(memory.data());
        const std::span bytes(data, memory.size());
        return std::make_unique<FakePin>(endpoint_.register_memory(bytes), further_.register_memory(bytes),
                                         living);
    }

    bool fail = false;
    int fail_every = 0;  ///< the k-th attempt of each k fails
    int attempts = 0;
    std::function<void()> on_pin;
    int pins = 0;
    int living = 0;  ///< pins that have not been given back

  private:
    class FakePin final : public network::Pin {
      public:
        FakePin(fabric::fake::Region region, fabric::fake::Region further, int& living)
            : region_(std::move(region)), further_(std::move(further)), living_(living) {
            ++living_;
        }
        ~FakePin() override { --living_; }
        [[nodiscard]] fabric::Key key(std::size_t rail) const noexcept override {
            return rail == 0 ? region_.key() : further_.key();
        }
        [[nodiscard]] network::Place place() const noexcept override {
            return {region_.remote().address, {key(0), key(1)}};
        }

      private:
        fabric::fake::Region region_;
        fabric::fake::Region further_;
        int& living_;
    };

    fabric::fake::Endpoint& endpoint_;
    fabric::fake::Endpoint& further_;
};

/// Ranks 0 and 1, with one connection, or with one more of another rail.
class NetworkJob {
  public:
    using Endpoint = fabric::fake::Endpoint;
    using Channel = network::ChannelOver<ring::mix::Rb2, Endpoint>;

    explicit NetworkJob(const network::DirectParameters& direct, const fabric::fake::Options& options = {},
                        std::uint64_t slots = 256, EngineConfig config = {}, int rails = 1)
        : link_(options),
          further_link_(options),
          sides_{Side(link_.a(), further_link_.a(), slots), Side(link_.b(), further_link_.b(), slots)},
          transports_(2) {
        config.size = 2;
        for (std::size_t own = 0; own < 2; ++own) {
            channels_[own] = std::make_unique<Channel>(endpoint(static_cast<int>(own)), sides_[own].registrar,
                                                       sides_[own].blocks(), sides_[own].parameters,
                                                       sides_[own].parameters, direct);
            channels_[own]->open_to(sides_[1 - own].region.remote(),
                                    rails == 1 ? std::vector<network::Stripe<Endpoint>>{}
                                               : std::vector{stripe(static_cast<int>(own))});
            auto& transport = transports_[own];
            transport.networks = {channels_[0].get(), channels_[1].get()};
            transport.networks[1 - own] = channels_[own].get();
            transport.notified.resize(2);
            transport.let_others_run = [this, own] { engines_[1 - own]->progress(); };
            config.rank = static_cast<int>(own);
            engines_.push_back(std::make_unique<TestEngine>(transport, config));
        }
    }

    TestEngine& operator[](int rank) { return *engines_[static_cast<std::size_t>(rank)]; }
    InProcessTransport& transport(int rank) { return transports_[static_cast<std::size_t>(rank)]; }
    FakeRegistrar& registrar(int rank) { return sides_[static_cast<std::size_t>(rank)].registrar; }
    Endpoint& endpoint(int rank) { return rank == 0 ? link_.a() : link_.b(); }
    fabric::fake::LinkOf<Endpoint>& link() { return link_; }
    /// Of the other rail.
    Endpoint& further(int rank) { return rank == 0 ? further_link_.a() : further_link_.b(); }
    void progress_all() {
        for (auto& engine : engines_) engine->progress();
    }

  private:
    struct Side {
        Side(Endpoint& endpoint, Endpoint& further, std::uint64_t slots)
            : parameters(ring::Parameters::messaging(slots)),
              layout(ring::block_layout<ring::mix::Rb2, ring::RingMemory>(parameters)),
              memory(std::make_unique<ring::RingMemory>(layout)),
              region(endpoint.register_memory(memory->bytes())),
              scratch_region(further.register_memory(*scratch)),
              registrar(endpoint, further) {}
        [[nodiscard]] ring::BlockPair blocks() const {
            return {.own = memory->bytes().data(), .own_layout = layout, .own_key = region.key(), .peer = {}};
        }

        ring::Parameters parameters;
        ring::BlockLayout layout;
        std::unique_ptr<ring::RingMemory> memory;
        fabric::fake::Region region;
        std::unique_ptr<std::array<std::byte, 8>> scratch = std::make_unique<std::array<std::byte, 8>>();
        fabric::fake::Region scratch_region;
        FakeRegistrar registrar;
    };

    network::Stripe<Endpoint> stripe(int rank) {
        Side& side = sides_[static_cast<std::size_t>(rank)];
        return {.endpoint = &further(rank),
                .own_rail = 1,
                .peer_rail = 1,
                .own_number = 1,
                .peer_number = 1,
                .scratch = {side.scratch->data(), 1, side.scratch_region.key()}};
    }

    fabric::fake::LinkOf<Endpoint> link_;
    fabric::fake::LinkOf<Endpoint> further_link_;
    std::array<Side, 2> sides_;
    std::array<std::unique_ptr<Channel>, 2> channels_;
    std::vector<InProcessTransport> transports_;
    std::vector<std::unique_ptr<TestEngine>> engines_;
};

}  // namespace rb2::pt2pt::testing
