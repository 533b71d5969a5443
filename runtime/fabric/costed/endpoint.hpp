#pragma once
// A decorator that makes every operation cost what it costs on a network card (costs.hpp), so that protocols
// can be compared by the operations they do where the inner fabric makes them almost free.
//
// The processor's share is paid by spinning up to a deadline, in which the inner fabric's own work is
// included: as long as that is the smaller, a charge is exact and the same on every machine.
//
// Differs from the contract of fabric.hpp in: there is no card that acts by itself. What has been flushed
// takes effect when its time has come and this side calls any member; who has nothing to post calls land()
// now and then, and before it leaves, until settled(). A wrong argument is seen when the request lands, and
// breaks the endpoint. The peer's memory is never mapped: a store would cost nothing.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/fabric/costed/clock.hpp"
#include "runtime/fabric/costed/costs.hpp"
#include "runtime/fabric/two_sided.hpp"

namespace rb2::fabric::costed {

namespace detail {

/// The names TwoSidedEndpoint asks for, where the inner endpoint has them.
template <class Inner>
struct TwoSidedNames {
    struct SharedReceives {};
};
template <TwoSidedEndpoint Inner>
struct TwoSidedNames<Inner> {
    using SharedReceives = typename Inner::SharedReceives;
    static constexpr std::size_t kMaxSendBytes = Inner::kMaxSendBytes;
};

}  // namespace detail

/// Refers to the decorated endpoint, which outlives it. Same thread rule.
template <fabric::Endpoint Inner, Clock Time = TscClock>
class Endpoint : public detail::TwoSidedNames<Inner> {
  public:
    using Region = typename Inner::Region;
    static constexpr std::size_t kQueueLength = 128;  ///< requests posted and not landed; a power of two
    static constexpr Capabilities kCapabilities = [] {
        Capabilities capabilities = Inner::kCapabilities;
        capabilities.mapped = false;
        capabilities.inline_bytes = std::min<std::uint32_t>(capabilities.inline_bytes, 32);
        capabilities.gather_length = std::min<std::uint32_t>(capabilities.gather_length, 4);
        return capabilities;
    }();

    explicit Endpoint(Inner& inner, const Costs& costs = {}, Time time = {}) noexcept
        : inner_(inner),
          time_(time),
          work_request_(time.ticks(costs.work_request_ns)),
          doorbell_(time.ticks(costs.doorbell_ns)),
          completion_(time.ticks(costs.completion_ns)),
          latency_(time.ticks(costs.latency_ns)),
          ticks_per_byte_(costs.gigabits_per_second == 0
                              ? 0
                              : static_cast<double>(time.ticks(8e6)) / 1e6 / costs.gigabits_per_second) {}
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    [[nodiscard]] Region register_memory(std::span<std::byte> memory) {
        return inner_.register_memory(memory);
    }

    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return write_gather({&source, 1}, remote, signal);
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept {
        return post({.kind = Kind::write, .signal = signal, .remote = remote}, sources);
    }
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept {
        return post({.kind = Kind::write_with_imm, .signal = signal, .remote = remote, .imm = imm},
                    {&source, 1});
    }
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept {
        return post({.kind = Kind::read, .signal = signal, .remote = remote, .sink = sink}, {});
    }
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept {
        return post(
            {.kind = Kind::fetch_add, .signal = signal, .remote = remote, .before = before, .addend = addend},
            {});
    }

    Status send(Source source, std::uint32_t imm,
                Signal signal = kSilent) noexcept requires TwoSidedEndpoint<Inner> {
        if (source.bytes > Inner::kMaxSendBytes) return Status::invalid_argument;
        return post({.kind = Kind::send, .signal = signal, .imm = imm}, {&source, 1});
    }
    Status post_receive(Sink sink, std::uint64_t ticket) noexcept requires TwoSidedEndpoint<Inner> {
        const Status status = inner_.post_receive(sink, ticket);
        if (status == Status::ok) charge(charges_.receives, 1, work_request_);
        return status;
    }
    void share(typename detail::TwoSidedNames<Inner>::SharedReceives& queue) noexcept requires
        TwoSidedEndpoint<Inner> {
        inner_.share(queue);
    }

    Status flush() noexcept {
        if (broken_) return Status::peer_lost;
        if (flushed_ == posted_) return Status::ok;
        charge(charges_.doorbells, 1, doorbell_);
        wire_free_ = later(wire_free_, time_.now());
        for (; flushed_ != posted_; ++flushed_) {
            Request& request = at(flushed_);
            wire_free_ += static_cast<std::uint64_t>(static_cast<double>(request.bytes) * ticks_per_byte_);
            request.lands_at = wire_free_ + latency_;
        }
        land();
        return broken_ ? Status::peer_lost : Status::ok;
    }

    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept {
        land();
        std::size_t count = hand_out(completions);
        const std::span<Completion> rest = completions.subspan(count);
        std::size_t kept = 0;
        std::uint64_t arrived = 0;
        for (const Completion& done : rest.first(inner_.poll(rest))) {
            if (is_held(done)) {
                held_[held_end_++ % kQueueLength].completion = done;
            } else {
                arrived += done.operation == Operation::imm_arrived ? 1 : 0;
                rest[kept++] = done;
            }
        }
        count += kept;
        count += hand_out(completions.subspan(count));
        if (count != 0) charge(charges_.completions, count, completion_);
        if (arrived != 0) charge(charges_.receives, arrived, work_request_);
        return count;
    }

    /// Lets everything take effect whose time has come. Costs nothing.
    void land() noexcept {
        while (landed_ != flushed_) {
            Request& request = at(landed_);
            if (is_early(request.lands_at)) return;
            const Status status = pass(request);
            if (status == Status::would_block) return;
            ++landed_;
            if (status != Status::ok) broken_ = true;
            if (request.signal.ticket != 0)
                held_[acks_end_++ % kQueueLength].due = request.lands_at + latency_;
            static_cast<void>(inner_.flush());
        }
    }

    /// Whether everything that was posted has taken effect.
    [[nodiscard]] bool settled() const noexcept { return landed_ == posted_; }

    [[nodiscard]] const Charges& charges() const noexcept { return charges_; }

  private:
    enum class Kind : std::uint8_t { write, write_with_imm, read, fetch_add, send };

    struct Request {
        Kind kind = Kind::write;
        std::uint8_t source_count = 0;
        Signal signal{};
        Remote remote{};
        std::uint32_t imm = 0;
        Sink sink{};
        std::uint64_t* before = nullptr;
        std::uint64_t addend = 0;
        std::uint64_t bytes = 0;
        std::uint64_t lands_at = 0;
        std::array<Source, kCapabilities.gather_length> sources{};
        std::array<std::byte, kCapabilities.inline_bytes> inlined{};
    };
    /// An own completion that the inner fabric has given, and the time from which it may be seen.
    struct Held {
        Completion completion;
        std::uint64_t due;
    };

    [[nodiscard]] Request& at(std::uint64_t number) noexcept { return requests_[number % kQueueLength]; }

    Status post(Request request, std::span<const Source> sources) noexcept {
        if (broken_) return Status::peer_lost;
        if (sources.size() > kCapabilities.gather_length) return Status::invalid_argument;
        if (is_full(request.signal)) land();
        if (is_full(request.signal)) return Status::would_block;
        for (const Source& source : sources) request.bytes += source.bytes;
        request.bytes += request.sink.bytes;
        Request& queued = at(posted_);
        queued = request;
        keep_sources(queued, sources);
        ++posted_;
        signalled_ += request.signal.ticket != 0 ? 1 : 0;
        charge(charges_.work_requests, 1, work_request_);
        return Status::ok;
    }

    /// No room for a request, or for its completion: those not polled take room too.
    [[nodiscard]] bool is_full(Signal signal) const noexcept {
        return posted_ - landed_ == kQueueLength ||
               (signal.ticket != 0 && signalled_ - handed_out_ == kQueueLength);
    }

    /// What is short enough travels inside the request, the rest by reference.
    static void keep_sources(Request& request, std::span<const Source> sources) noexcept {
        if (request.bytes > kCapabilities.inline_bytes || sources.empty()) {
            std::ranges::copy(sources, request.sources.begin());
            request.source_count = static_cast<std::uint8_t>(sources.size());
            return;
        }
        std::byte* end = request.inlined.data();
        for (const Source& source : sources) end = std::copy_n(source.data, source.bytes, end);
        request.sources.front() = {request.inlined.data(), request.bytes, 0};
        request.source_count = 1;
    }

    Status pass(const Request& request) noexcept {
        const std::span sources(request.sources.data(), request.source_count);
        switch (request.kind) {
            case Kind::write:
                return inner_.write_gather(sources, request.remote, request.signal);
            case Kind::write_with_imm:
                return inner_.write_with_imm(sources.front(), request.remote, request.imm, request.signal);
            case Kind::read:
                return inner_.read(request.sink, request.remote, request.signal);
            case Kind::fetch_add:
                return inner_.fetch_add(request.before, request.remote, request.addend, request.signal);
            case Kind::send:
                if constexpr (TwoSidedEndpoint<Inner>)
                    return inner_.send(sources.front(), request.imm, request.signal);
        }
        return Status::invalid_argument;
    }

    /// Completions of own requests wait for their time; what the peer caused, and failures, do not.
    [[nodiscard]] static bool is_held(const Completion& done) noexcept {
        return done.status == Status::ok && done.ticket != 0 && done.operation != Operation::imm_arrived &&
               done.operation != Operation::received;
    }

    std::size_t hand_out(std::span<Completion> completions) noexcept {
        std::size_t count = 0;
        while (count != completions.size() && handed_out_ != held_end_) {
            const Held& next = held_[handed_out_ % kQueueLength];
            if (is_early(next.due)) break;
            completions[count++] = next.completion;
            ++handed_out_;
        }
        return count;
    }

    [[nodiscard]] bool is_early(std::uint64_t tick) noexcept {
        return static_cast<std::int64_t>(time_.now() - tick) < 0;
    }
    [[nodiscard]] static std::uint64_t later(std::uint64_t a, std::uint64_t b) noexcept {
        return static_cast<std::int64_t>(a - b) < 0 ? b : a;
    }

    void charge(std::uint64_t& counter, std::uint64_t times, std::uint64_t price) noexcept {
        counter += times;
        if (price == 0) return;
        const std::uint64_t until = time_.now() + times * price;
        land();  // the card works meanwhile
        time_.wait_until(until);
    }

    Inner& inner_;
    [[no_unique_address]] Time time_;
    std::uint64_t work_request_;
    std::uint64_t doorbell_;
    std::uint64_t completion_;
    std::uint64_t latency_;
    double ticks_per_byte_;

    // Requests ever posted, flushed and landed: each at most the one before.
    std::uint64_t posted_ = 0;
    std::uint64_t flushed_ = 0;
    std::uint64_t landed_ = 0;
    std::uint64_t wire_free_ = 0;  ///< tick at which the wire has sent all that was flushed
    // Signalled requests posted, landed (their due time is known), completed by the inner fabric, handed out.
    std::uint64_t signalled_ = 0;
    std::uint64_t acks_end_ = 0;
    std::uint64_t held_end_ = 0;
    std::uint64_t handed_out_ = 0;
    bool broken_ = false;
    Charges charges_;
    std::array<Request, kQueueLength> requests_{};
    std::array<Held, kQueueLength> held_{};
};

}  // namespace rb2::fabric::costed
