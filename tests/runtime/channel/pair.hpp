#pragma once
// A channel with both its sides, numbered messages to send through it, and a driver that interleaves the
// sides.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "runtime/channel/tickets.hpp"
#include "tests/runtime/channel/wires.hpp"
#include "tests/runtime/content.hpp"

namespace rb2::channel::test {

/// What the channel's receivers share, if they share anything.
template <class C, class E>
struct PoolOf {
    PoolOf(Window&, const Parameters&) {}
};
template <class C, class E>
requires PoolsReceiverMemory<C, E>
struct PoolOf<C, E> {
    PoolOf(Window& window, const Parameters& parameters)
        : pool(window.take(C::pool_bytes(parameters)), parameters) {}
    typename C::template ReceiverPool<E> pool;
};

/// What the channel's senders share, if they share anything: a ring that all receivers of a message READ.
template <class C, class E>
struct SenderPoolOf {
    SenderPoolOf(Window&, const Parameters&) {}
};
template <class C, class E>
requires PoolsSenderMemory<C, E>
struct SenderPoolOf<C, E> {
    SenderPoolOf(Window& window, const Parameters& parameters)
        : pool(window.take(C::pool_bytes(parameters)), parameters) {}
    typename C::template SenderPool<E> pool;
};

/// Memory that messages are sent from: a cell for every send that may be in flight.
struct Sources {
    Sources(Window& window, std::size_t bytes)
        : cell_bytes(bytes), memory(window.take(bytes * kSendWindow)) {}
    [[nodiscard]] std::span<std::byte> cell(std::uint64_t number) const {
        return memory.subspan(number % kSendWindow * cell_bytes, cell_bytes);
    }
    std::size_t cell_bytes;
    std::span<std::byte> memory;
};

/// Message `number` as it is sent: the number, as far as it fits, then bytes that follow from it.
inline void write_message(std::uint32_t number, std::span<std::byte> bytes) {
    rb2::test::fill(number, bytes);
    std::memcpy(bytes.data(), &number, std::min(bytes.size(), sizeof number));
}
[[nodiscard]] inline bool is_message(std::uint32_t number, std::span<const std::byte> bytes) {
    std::vector<std::byte> expected(bytes.size());
    write_message(number, expected);
    return std::ranges::equal(expected, bytes);
}
[[nodiscard]] inline std::uint32_t number_of(std::span<const std::byte> bytes) {
    std::uint32_t number = ~std::uint32_t{0};
    std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
    return number;
}

template <class C, class Wire>
class Pair {
  public:
    using Endpoint = typename Wire::Endpoint;
    using Sender = typename C::template Sender<Endpoint>;
    using Receiver = typename C::template Receiver<Endpoint>;
    using Pool = PoolOf<C, Endpoint>;
    using SenderPool = SenderPoolOf<C, Endpoint>;

    Pair(Window& a, Window& b, const Parameters& parameters, const fabric::fake::Options& options,
         const Sources& sources, SenderPool& sender_pool, Pool& pool)
        : wire(a, b, options),
          sources_(sources),
          region_(wire.data_a().register_memory(sources.memory)),
          sender_(make_sender(Side<Endpoint>{&wire.data_a(), &wire.credit_a(),
                                             take(a, C::sender_needs(parameters)), parameters},
                              sender_pool)),
          sender(*sender_),
          receiver_(make_receiver(Side<Endpoint>{&wire.data_b(), &wire.credit_b(),
                                                 take(b, C::receiver_needs(parameters)), parameters},
                                  pool)) {
        sender.connect(receiver().card());
        receiver().connect(sender.card());
    }

    [[nodiscard]] Receiver& receiver() { return *receiver_; }

    /// The region message `number` lies in.
    [[nodiscard]] fabric::Source region(std::uint32_t number, std::size_t bytes) const {
        return {sources_.cell(number).data(), bytes, region_.key()};
    }

    /// Sends message `number`; also would_block while an earlier one still needs its cell.
    Status send(std::uint32_t number, std::size_t bytes) {
        Ticket& ticket = tickets_[number % kSendWindow];
        if (ticket != 0 && sender.test(ticket) != Status::ok) return Status::would_block;
        write_message(number, sources_.cell(number).first(bytes));
        const Status status = sender.send(region(number, bytes), ticket);
        if (status != Status::ok) ticket = 0;
        return status;
    }
    [[nodiscard]] Ticket ticket(std::uint32_t number) const { return tickets_[number % kSendWindow]; }

    /// Lets the sender go on with what it has begun. True when all it sent is complete.
    bool progress_sender() {
        return std::ranges::all_of(
            tickets_, [this](Ticket ticket) { return ticket == 0 || sender.test(ticket) == Status::ok; });
    }

    Wire wire;

  private:
    static Memory take(Window& window, const Needs& needs) {
        return {window.take(needs.data), window.take(needs.credit)};
    }
    static std::unique_ptr<Sender> make_sender(const Side<Endpoint>& side,
                                               [[maybe_unused]] SenderPool& pool) {
        if constexpr (PoolsSenderMemory<C, Endpoint>) {
            return std::make_unique<Sender>(side, pool.pool);
        } else {
            return std::make_unique<Sender>(side);
        }
    }
    static std::unique_ptr<Receiver> make_receiver(const Side<Endpoint>& side, [[maybe_unused]] Pool& pool) {
        if constexpr (PoolsReceiverMemory<C, Endpoint>) {
            return std::make_unique<Receiver>(side, pool.pool);
        } else {
            return std::make_unique<Receiver>(side);
        }
    }

    Sources sources_;
    typename Endpoint::Region region_;
    std::unique_ptr<Sender> sender_;

  public:
    Sender& sender;

  private:
    std::unique_ptr<Receiver> receiver_;
    std::array<Ticket, kSendWindow> tickets_{};
};

/// N channels from N senders to one receiver that shares what it can. The sources, and what senders can
/// share, are shared too, as of a sender with N receivers, unless each is to be driven on its own.
template <class C, class Wire>
class Fan {
  public:
    Fan(std::size_t count, const Parameters& parameters, const fabric::fake::Options& options = {},
        bool shared_sources = false, std::size_t window_bytes = std::size_t{1} << 20)
        : a(window_bytes), b(window_bytes), pool(b, parameters) {
        std::optional<Sources> sources;
        for (std::size_t i = 0; i < count; ++i) {
            if (!sources || !shared_sources) {
                sources.emplace(a, parameters.message_bytes);
                sender_pools.push_back(std::make_unique<SenderPool>(a, parameters));
            }
            fabric::fake::Options own = options;
            own.seed += i;
            pairs.push_back(
                std::make_unique<Pair<C, Wire>>(a, b, parameters, own, *sources, *sender_pools.back(), pool));
        }
    }
    [[nodiscard]] Pair<C, Wire>& operator[](std::size_t i) { return *pairs[i]; }

    using SenderPool = SenderPoolOf<C, typename Wire::Endpoint>;

    Window a, b;
    std::vector<std::unique_ptr<SenderPool>> sender_pools;
    PoolOf<C, typename Wire::Endpoint> pool;
    std::vector<std::unique_ptr<Pair<C, Wire>>> pairs;
};

}  // namespace rb2::channel::test
