#pragma once
// Joined verbs endpoints in one process, over the real device of the machine that this runs on.

#include <chrono>
#include <thread>

#include "runtime/fabric/verbs/endpoint.hpp"
#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {

/// The device that all tests of the process share. Throws StartupError where there is none.
inline verbs::Device& verbs_device() {
    static verbs::Device device;
    return device;
}

/// Asks again and again for at most `patience`; the last answer.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

/// A card acts by itself and in its own time; the tests of the contract look at once. So this one waits: at
/// the doorbell until all has landed, when it is polled until there is something, when it is full for room.
/// A message that finds no receive does not land: then it goes on after a moment.
class PatientEndpoint : public verbs::Endpoint {
  public:
    using verbs::Endpoint::Endpoint;

    Status flush() noexcept {
        const Status status = verbs::Endpoint::flush();
        if (!stalled_ || settle()) stalled_ = !eventually([this] { return settle(); }, kMoment);
        return status;
    }
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept {
        std::size_t count = 0;
        eventually([&] { return (count = verbs::Endpoint::poll(completions)) != 0; }, kMoment);
        return count;
    }
    Status send(Source source, std::uint32_t imm, Signal signal = kSilent) noexcept {
        Status status = Status::ok;
        eventually(
            [&] { return (status = verbs::Endpoint::send(source, imm, signal)) != Status::would_block; },
            kMoment);
        return status;
    }

  private:
    static constexpr std::chrono::milliseconds kMoment{300};
    bool stalled_ = false;
};

/// Two queue pairs, each with a completion queue of its own.
template <class E, verbs::Arrivals kArrivals>
struct VerbsSidesOf {
    using Endpoint = E;

    VerbsSidesOf() {
        a.connect(b.card());
        b.connect(a.card());
    }

    Memory memory_a, memory_b;
    verbs::CompletionQueue queue_a{verbs_device()}, queue_b{verbs_device()};
    Endpoint a{queue_a, {.arrivals = kArrivals}};
    Endpoint b{queue_b, {.arrivals = kArrivals}};
};

using VerbsSides = VerbsSidesOf<PatientEndpoint, verbs::Arrivals::immediates>;
using VerbsMessageSides = VerbsSidesOf<PatientEndpoint, verbs::Arrivals::messages>;
/// As they are.
using RawVerbsSides = VerbsSidesOf<verbs::Endpoint, verbs::Arrivals::immediates>;
using RawVerbsMessageSides = VerbsSidesOf<verbs::Endpoint, verbs::Arrivals::messages>;

}  // namespace rb2::fabric::test
