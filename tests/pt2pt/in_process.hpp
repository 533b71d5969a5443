#pragma once
// Several engines in one thread, over real in-place rings in ordinary memory. A blocking call of one rank
// lets the other ranks progress whenever it would wait, so every test is deterministic.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2pt/engine.hpp"
#include "runtime/wait/doorbell.hpp"
#include "runtime/wait/gate.hpp"

namespace rb2::pt2pt::testing {

inline constexpr std::uint32_t kContext = 0;

class InProcessTransport {
  public:
    Lane lane(int rank) {
        const auto index = static_cast<std::size_t>(rank);
        if (!networks.empty()) return Lane(*networks[index]);
        return channels[index] != nullptr ? Lane(*channels[index]) : Lane();
    }
    void connect(int rank) {
        if (make_way) make_way(rank);
    }
    bool called() const { return !callers.empty(); }
    template <class Meet>
    void take_callers(Meet&& meet) {
        for (const int rank : std::exchange(callers, {})) {
            if (channels[static_cast<std::size_t>(rank)] == nullptr) make_way(rank);
            meet(rank);
        }
    }
    int poll_fabrics() { return poll_network(); }
    void notify(int rank) { ++notified[static_cast<std::size_t>(rank)]; }
    bool can_offer(int) const { return offers; }
    bool pull(int, std::span<std::byte> to, std::uint64_t address) {
        ++pulls;
        if (refuses_pull) return false;
        std::memcpy(to.data(), reinterpret_cast<const void*>(address), to.size());
        return true;
    }
    bool pull_in_halves(int rank, std::span<std::byte> to, std::uint64_t address) {
        ++halves;
        return pull(rank, to, address);
    }
    std::span<std::byte> shared_memory(int) const { return {}; }
    bool help(int) {
        ++helps;
        return false;
    }
    void busy() {}
    /// Somebody else has to run before anything comes: lets them, once.
    template <class Ready>
    bool expect(Ready&& ready, std::chrono::nanoseconds longest) {
        ++(longest == StreamPace::kHeadStart ? head_starts : batches);
        let_others_run();
        return ready();
    }
    wait::Doorbell& doorbell(int) { return *bell; }
    template <class Poll, class BeforeSleep, class Gate = wait::NoGate>
    void idle(Poll&& poll, BeforeSleep&& before_sleep, Gate&& gate = {}) {
        gate.open();
        gate.close();
        if (++idle_count > patience) throw std::runtime_error("no rank can make progress: deadlock");
        let_others_run();
        if (poll() || before_sleep()) idle_count = 0;
    }
    bool hidden(int) const { return false; }
    bool departed(int rank) const { return gone.contains(rank); }
    void says_bye(int rank) { gone.insert(rank); }
    bool quiet() { return unquiet-- <= 0; }
    [[noreturn]] void forsaken(const std::string& text) { throw std::runtime_error(text); }
    void protocol_error(int rank, std::string_view what) {
        throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::string(what));
    }
    void peer_lost(int rank) { throw std::runtime_error("lost rank " + std::to_string(rank)); }

    int patience = 100000;  ///< idle rounds before the test is given up
    std::vector<std::unique_ptr<ring::ShmChannel>> channels;
    std::vector<network::Channel*> networks;  ///< instead of `channels`, where not empty
    std::vector<int> notified;
    std::function<void(int)> make_way;  ///< of a rank that has no channel yet
    std::set<int> callers;              ///< ranks that made a channel to this one
    std::function<void()> let_others_run = [] {};
    std::function<int()> poll_network = [] { return 0; };
    int idle_count = 0;
    int batches = 0;  ///< of streams, waited for
    int head_starts = 0;
    std::unique_ptr<wait::Doorbell> bell = std::make_unique<wait::Doorbell>();  ///< of every peer
    bool offers = false;        ///< this rank offers its long messages for a single copy
    bool refuses_pull = false;  ///< reading another rank's memory fails
    int pulls = 0;
    int halves = 0;      ///< of them in halves
    int helps = 0;       ///< looks for a half to write
    std::set<int> gone;  ///< ranks that have finalized
    int unquiet = 0;     ///< times that quiet() says no
};

using TestEngine = BasicEngine<InProcessTransport>;

/// `size` ranks with rings of `slots` slots.
class InProcessJob {
  public:
    /// `on_demand`: ranks have no channels until one of two sends to the other.
    explicit InProcessJob(int size, std::uint64_t slots = 256, EngineConfig config = {},
                          bool on_demand = false)
        : slots_(slots) {
        const std::size_t bytes = ring::ShmChannel::block_bytes(slots);
        const auto count = static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < count * count; ++i) blocks_.push_back(make_block(bytes));
        transports_.resize(count);
        for (std::size_t own = 0; own < count; ++own) {
            transports_[own].channels.resize(count);
            transports_[own].notified.resize(count);
            for (std::size_t peer = 0; peer < count && !on_demand; ++peer) {
                if (peer != own) make_channel(own, peer);
            }
            transports_[own].make_way = [this, own](int peer) {
                if (!make_channel(own, static_cast<std::size_t>(peer))) return;
                transports_[static_cast<std::size_t>(peer)].callers.insert(static_cast<int>(own));
            };
            transports_[own].let_others_run = [this, own] { progress_all_but(own); };
        }
        config.size = size;
        for (int rank = 0; rank < size; ++rank) {
            config.rank = rank;
            engines_.push_back(
                std::make_unique<TestEngine>(transports_[static_cast<std::size_t>(rank)], config));
        }
    }

    TestEngine& operator[](int rank) { return *engines_[static_cast<std::size_t>(rank)]; }
    InProcessTransport& transport(int rank) { return transports_[static_cast<std::size_t>(rank)]; }
    void progress_all() { progress_all_but(engines_.size()); }

  private:
    struct Free {
        void operator()(std::byte* block) const {
            ::operator delete (block, std::align_val_t{ring::kLinePairBytes});
        }
    };
    using Block = std::unique_ptr<std::byte, Free>;

    bool make_channel(std::size_t own, std::size_t peer) {
        const std::size_t count = transports_.size();
        const std::size_t bytes = ring::ShmChannel::block_bytes(slots_);
        const auto parameters = ring::Parameters::messaging(slots_);
        auto& channel = transports_[own].channels[peer];
        if (channel != nullptr) return false;
        channel = std::make_unique<ring::ShmChannel>(std::span(blocks_[own * count + peer].get(), bytes),
                                                     std::span(blocks_[peer * count + own].get(), bytes),
                                                     parameters, parameters);
        return true;
    }

    static Block make_block(std::size_t bytes) {
        Block block(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{ring::kLinePairBytes})));
        std::memset(block.get(), 0, bytes);
        return block;
    }
    void progress_all_but(std::size_t rank) {
        for (std::size_t i = 0; i < engines_.size(); ++i) {
            if (i != rank) engines_[i]->progress();
        }
    }

    std::uint64_t slots_;
    std::vector<Block> blocks_;
    std::vector<InProcessTransport> transports_;
    std::vector<std::unique_ptr<TestEngine>> engines_;
};

/// `bytes` bytes that depend on `seed` and position.
inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed = 1) {
    std::vector<std::byte> data(bytes);
    std::uint32_t state = seed * 2654435761U + 1;
    for (std::byte& byte : data) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::byte>(state >> 24);
    }
    return data;
}

}  // namespace rb2::pt2pt::testing
