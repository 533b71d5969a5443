// The ring over the TCP fabric, as messaging uses it: short messages are records; long ones are written
// straight into the receiver's buffer, and a record behind them says that they are there.

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/tcp/wire.hpp"
#include "runtime/fabric/tcp/context.hpp"
#include "runtime/ring/fake_channel.hpp"

namespace rb2::bench::tcp {
namespace {

using fabric::tcp::Context;
using fabric::tcp::Endpoint;
using fabric::tcp::Options;
using fabric::tcp::Target;
using ring::mix::Rb2;

constexpr std::size_t kLongest = 8192;  ///< records; above: a write and a record
const ring::Parameters kParameters = ring::Parameters::messaging(1024);

/// One side: its context, its memory, and the channel to the other.
class Station {
  public:
    Station(int side, const Wire& wire, Meeting& meeting, const limits::Spin& spin, std::size_t bytes)
        : context_(options(side, wire, meeting, spin)),
          endpoint_(context_.endpoint(side == 0 ? 1 : 0)),
          layout_(ring::block_layout<Rb2, ring::RingMemory>(kParameters)),
          memory_(formatted()),
          buffer_(bytes),
          block_(endpoint_.register_memory(memory_.bytes())),
          user_(endpoint_.register_memory(buffer_)),
          peer_(exchange(side, meeting, spin)),
          channel_(endpoint_,
                   {.own = memory_.bytes().data(),
                    .own_layout = layout_,
                    .own_key = block_.key(),
                    .peer = {0, static_cast<fabric::Key>(peer_)}},
                   kParameters, kParameters) {}

    void send(std::size_t bytes) {
        if (bytes > kLongest) {
            const fabric::Source source{buffer_.data(), bytes, user_.key()};
            const fabric::Remote target{0, static_cast<fabric::Key>(peer_ >> 32)};
            until([&] { return endpoint_.write(source, target) == Status::ok; });
        }
        const auto length = static_cast<std::uint32_t>(bytes > kLongest ? 8 : bytes);
        ring::Claim claim;
        until([&] {
            claim = channel_.sender().try_claim(length);
            return static_cast<bool>(claim);
        });
        check(channel_.sender().commit(claim, 1, 0, length));
        static_cast<void>(channel_.sender().flush());
    }
    void receive() {
        until([&] {
            return channel_.receiver().drain(
                       1, [](const ring::Record&) { return ring::Verdict::consumed; }) == 1;
        });
    }
    void finish() { context_.finish(fabric::tcp::Clock::now() + std::chrono::seconds(10)); }

  private:
    static Options options(int side, const Wire& wire, Meeting& meeting, const limits::Spin& spin) {
        Options result;
        result.rank = static_cast<std::uint32_t>(side);
        result.driven = true;
        result.listen_on = {{(side == 0 ? wire.first : wire.second).address, 0}};
        result.find_peer = [&wire, &meeting, &spin](std::uint32_t rank, std::string&) {
            const Side& peer = rank == 0 ? wire.first : wire.second;
            return std::vector{Target{{peer.address, meeting.port(static_cast<int>(rank), spin)}, {}}};
        };
        return result;
    }
    [[nodiscard]] ring::RingMemory formatted() const {
        ring::RingMemory memory(layout_);
        ring::format<Rb2>(memory.bytes(), layout_, kParameters);
        return memory;
    }
    /// Tells the other side the port and the keys; returns its keys.
    std::uint64_t exchange(int side, Meeting& meeting, const limits::Spin& spin) {
        meeting.ports[side].store(context_.addresses().front().port, std::memory_order_release);
        meeting.words[side].store(block_.key() | std::uint64_t{user_.key()} << 32, std::memory_order_release);
        spin.until([&] { return meeting.words[1 - side].load(std::memory_order_acquire) != 0; });
        return meeting.words[1 - side].load();
    }
    template <class Condition>
    void until(Condition condition) {
        while (!condition()) {
            context_.progress();
            check(endpoint_.status());
        }
    }
    void check(Status status) const {
        if (status != Status::ok) throw std::runtime_error(endpoint_.cause());
    }

    Context context_;
    Endpoint& endpoint_;
    ring::BlockLayout layout_;
    ring::RingMemory memory_;
    std::vector<std::byte> buffer_;
    fabric::tcp::Region block_;
    fabric::tcp::Region user_;
    std::uint64_t peer_;
    ring::RingChannel<Rb2, Endpoint> channel_;
};

void first_side(Station& station, const Load& load, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < load.window; ++i) station.send(load.bytes);
        station.receive();
    }
}

void second_side(Station& station, const Load& load, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < load.window; ++i) station.receive();
        station.send(load.window == 1 ? load.bytes : 8);
    }
}

}  // namespace

double ring_seconds(const Wire& wire, const Load& load) {
    const limits::Shared<Meeting> meeting;
    const limits::Spin spin(wire.processors);
    double seconds = 0;
    const auto first = [&] {
        Station station(0, wire, *meeting, spin, load.bytes);
        first_side(station, load, load.warm_up);
        const Stopwatch watch;
        first_side(station, load, load.rounds);
        seconds = watch.elapsed_us() * 1e-6;
        station.finish();
    };
    limits::run_pinned_pair(wire.processors, first, [&] {
        try {
            enter(wire.second);
            Station station(1, wire, *meeting, spin, load.bytes);
            second_side(station, load, load.warm_up + load.rounds);
            station.finish();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "rb2_tcp: second side: %s\n", error.what());
            std::_Exit(EXIT_FAILURE);
        }
    });
    return seconds;
}

}  // namespace rb2::bench::tcp
