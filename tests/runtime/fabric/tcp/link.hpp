#pragma once
// Two contexts in one process, joined over the loopback interface, and a way to step both.

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/fabric/tcp/context.hpp"

namespace rb2::fabric::tcp::test {

inline SocketAddress loopback(std::uint16_t port = 0) {
    return {{.family = Family::v4, .bytes = {127, 0, 0, 1}}, port};
}

inline Secret secret(std::uint8_t seed = 1) {
    Secret result{};
    for (std::size_t at = 0; at < result.size(); ++at) result[at] = static_cast<std::byte>(seed + at);
    return result;
}

/// Short times, so that nothing waits for long.
inline Options options(std::uint32_t rank) {
    Options result;
    result.rank = rank;
    result.secret = secret();
    result.listen_on = {loopback()};
    return result;
}

/// Steps `contexts` until `condition` or the time is up; whether it holds.
template <class Condition>
bool step_until(std::initializer_list<Context*> contexts, Condition condition,
                std::chrono::milliseconds limit = std::chrono::milliseconds(20'000)) {
    const Clock::time_point end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() > end) return false;
        for (Context* context : contexts) context->progress();
    }
    return true;
}

/// Ranks 0 and 1, which know each other's addresses and call when first used.
class Link {
  public:
    explicit Link(Options options_a = options(0), Options options_b = options(1))
        : a(with_peer(std::move(options_a), address_b_)), b(with_peer(std::move(options_b), address_a_)) {
        address_a_ = {a.addresses().front()};
        address_b_ = {b.addresses().front()};
    }
    [[nodiscard]] Endpoint& end_a() { return a.endpoint(1); }
    [[nodiscard]] Endpoint& end_b() { return b.endpoint(0); }

    /// Both connected, whoever calls.
    bool connect() {
        if (end_a().write({}, {}) != Status::ok) return false;
        static_cast<void>(end_a().flush());
        return step_until({&a, &b}, [this] { return end_a().connected() && end_b().connected(); }) &&
               settle();
    }
    /// Nothing is under way between the two any more: all that was sent has been received.
    bool settled() const {
        return a.unsent() == 0 && b.unsent() == 0 && a.counters().sent_bytes == b.counters().received_bytes &&
               b.counters().sent_bytes == a.counters().received_bytes;
    }
    /// Or one is lost.
    bool settle() {
        return step_until({&a, &b}, [this] {
            return settled() || end_a().status() != Status::ok || end_b().status() != Status::ok;
        });
    }

  private:
    static Options with_peer(Options options, const std::vector<SocketAddress>& address) {
        if (!options.find_peer) {
            options.find_peer = [&address](std::uint32_t, std::string&) {
                std::vector<Target> targets;
                for (const SocketAddress& one : address) targets.push_back({one, {}});
                return targets;
            };
        }
        return options;
    }

    std::vector<SocketAddress> address_a_;
    std::vector<SocketAddress> address_b_;

  public:
    Context a;
    Context b;
};

/// An endpoint whose operations have taken effect when flush() returns: both sides are stepped.
class SteppedEndpoint {
  public:
    using Region = tcp::Region;
    static constexpr Capabilities kCapabilities = tcp::Endpoint::kCapabilities;

    SteppedEndpoint(Link& link, tcp::Endpoint& endpoint) : link_(&link), endpoint_(&endpoint) {}

    Region register_memory(std::span<std::byte> memory) { return endpoint_->register_memory(memory); }
    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return endpoint_->write(source, remote, signal);
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept {
        return endpoint_->write_gather(sources, remote, signal);
    }
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept {
        return endpoint_->write_with_imm(source, remote, imm, signal);
    }
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept {
        return endpoint_->read(sink, remote, signal);
    }
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept {
        return endpoint_->fetch_add(before, remote, addend, signal);
    }
    Status flush() noexcept {
        if (const Status status = endpoint_->flush(); status != Status::would_block && status != Status::ok)
            return status;
        link_->settle();
        return endpoint_->status();
    }
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept {
        return endpoint_->poll(completions);
    }

  private:
    Link* link_;
    tcp::Endpoint* endpoint_;
};

}  // namespace rb2::fabric::tcp::test
