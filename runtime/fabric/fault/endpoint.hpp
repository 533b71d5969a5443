#pragma once
// A decorator over any endpoint that is as unkind as the contract of fabric.hpp allows: it delays operations,
// cuts writes into words that land in random order, lets later writes overtake reads, and breaks at the n-th
// operation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric::fault {

inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);  ///< lands whole when aligned

struct Plan {
    std::uint64_t seed = 1;
    bool delay = false;          ///< flushed operations wait for step() or release()
    bool shuffle_bytes = false;  ///< a write becomes several, of 8 aligned bytes or less, in random order
    bool reorder = false;        ///< a read may go behind later writes
    std::uint64_t fail_at =
        std::numeric_limits<std::uint64_t>::max();  ///< counted from 0: this operation fails
};

/// Refers to the decorated endpoint, which outlives it. Same thread rule. Sources of delayed operations are
/// read when they are passed on.
template <fabric::Endpoint Inner>
class Endpoint {
  public:
    using Region = typename Inner::Region;
    static constexpr Capabilities kCapabilities = [] {
        Capabilities capabilities = Inner::kCapabilities;
        capabilities.ordered_bytes = false;
        capabilities.inline_bytes = std::min<std::uint32_t>(capabilities.inline_bytes, 32);
        capabilities.gather_length = 1;
        return capabilities;
    }();

    Endpoint(Inner& inner, const Plan& plan) : inner_(inner), plan_(plan), random_(plan.seed) {}

    [[nodiscard]] Region register_memory(std::span<std::byte> memory) {
        return inner_.register_memory(memory);
    }

    [[nodiscard]] std::byte* map(Remote remote, std::size_t bytes) noexcept requires MappedEndpoint<Inner> {
        return inner_.map(remote, bytes);
    }

    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return post({.signal = signal, .remote = remote, .source = source});
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept {
        if (sources.size() > kCapabilities.gather_length) return Status::invalid_argument;
        return write(sources.empty() ? Source{} : sources.front(), remote, signal);
    }
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept {
        return post({.signal = signal, .remote = remote, .source = source, .imm = imm});
    }
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept {
        return post({.operation = Operation::read, .signal = signal, .remote = remote, .sink = sink});
    }
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept {
        return post({.operation = Operation::fetch_add,
                     .signal = signal,
                     .remote = remote,
                     .before = before,
                     .addend = addend});
    }

    Status flush() noexcept {
        if (broken_) return Status::peer_lost;
        flushed_ = requests_.size();
        if (!plan_.delay) release();
        return broken_ ? Status::peer_lost : inner_.flush();
    }

    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept {
        const std::size_t count = inner_.poll(completions);
        const std::size_t failed = std::min(failures_.size(), completions.size() - count);
        std::copy_n(failures_.begin(), failed, completions.begin() + static_cast<std::ptrdiff_t>(count));
        failures_.erase(failures_.begin(), failures_.begin() + static_cast<std::ptrdiff_t>(failed));
        return count + failed;
    }

    /// Passes one flushed operation on. False when there is none, or the inner endpoint takes no more for
    /// now.
    bool step() {
        if (flushed_ == 0 || broken_) return false;
        const std::size_t chosen = choose();
        Request request = requests_[chosen];
        request.source =
            request.inlined ? Source{request.inline_bytes.data(), request.source.bytes} : request.source;
        const Status status = passed_ == plan_.fail_at ? Status::peer_lost : pass(request);
        if (status == Status::would_block) return false;
        requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(chosen));
        --flushed_;
        ++passed_;
        if (status != Status::ok) fail(request);
        static_cast<void>(inner_.flush());
        return true;
    }

    /// Passes every flushed operation on.
    void release() {
        while (step()) continue;
    }

  private:
    struct Request {
        Operation operation = Operation::write;
        Signal signal{};
        Remote remote{};
        Source source{};
        std::optional<std::uint32_t> imm{};
        Sink sink{};
        std::uint64_t* before = nullptr;
        std::uint64_t addend = 0;
        bool inlined = false;
        std::array<std::byte, kCapabilities.inline_bytes> inline_bytes{};
    };

    Status post(Request request) {
        if (broken_) return Status::peer_lost;
        request.inlined = request.source.bytes <= kCapabilities.inline_bytes;
        if (request.inlined)
            std::copy_n(request.source.data, request.source.bytes, request.inline_bytes.begin());
        requests_.push_back(request);
        return Status::ok;
    }

    /// The oldest, or what may go before it: the first operation behind leading reads.
    [[nodiscard]] std::size_t choose() {
        if (!plan_.reorder) return 0;
        std::size_t first_ordered = 0;
        while (first_ordered < flushed_ && requests_[first_ordered].operation == Operation::read)
            ++first_ordered;
        return first_ordered < flushed_ && random_() % 2 == 0 ? first_ordered : 0;
    }

    Status pass(const Request& request) {
        switch (request.operation) {
            case Operation::read:
                return inner_.read(request.sink, request.remote, request.signal);
            case Operation::fetch_add:
                return inner_.fetch_add(request.before, request.remote, request.addend, request.signal);
            default:
                return pass_write(request);
        }
    }

    /// The pieces in any order but the last, which carries the completion. An immediate comes with the whole
    /// once more: its completion tells the length.
    Status pass_write(const Request& request) {
        std::vector<std::pair<std::size_t, std::size_t>> pieces = cut(request);
        const auto [last_at, last_bytes] = pieces.back();
        pieces.pop_back();
        for (const auto& [at, bytes] : pieces) {
            const Source piece{request.source.data + at, bytes, request.source.key};
            const Status status = inner_.write(piece, request.remote + at, kSilent);
            // Pieces that have landed may land again when the whole request is tried once more.
            if (status != Status::ok) return status;
            static_cast<void>(inner_.flush());
        }
        if (request.imm.has_value()) {
            return inner_.write_with_imm(request.source, request.remote, *request.imm, request.signal);
        }
        const Source last{request.source.data + last_at, last_bytes, request.source.key};
        return inner_.write(last, request.remote + last_at, request.signal);
    }

    /// (offset, bytes) of at least one piece; aligned words stay whole.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> cut(const Request& request) {
        std::vector<std::pair<std::size_t, std::size_t>> pieces;
        for (std::size_t at = 0; plan_.shuffle_bytes && at < request.source.bytes;) {
            const std::size_t bytes =
                std::min(kWordBytes - (request.remote.address + at) % kWordBytes, request.source.bytes - at);
            pieces.emplace_back(at, bytes);
            at += bytes;
        }
        if (pieces.empty()) pieces.emplace_back(0, request.source.bytes);
        std::ranges::shuffle(pieces, random_);
        return pieces;
    }

    /// `request` and all behind it are given up with a completion each; nothing can follow.
    void fail(const Request& request) {
        broken_ = true;
        failures_.push_back(failure(request));
        for (const Request& behind : requests_) failures_.push_back(failure(behind));
        requests_.clear();
        flushed_ = 0;
    }
    [[nodiscard]] static Completion failure(const Request& request) {
        return {.ticket = request.signal.ticket, .operation = request.operation, .status = Status::peer_lost};
    }

    Inner& inner_;
    Plan plan_;
    std::mt19937_64 random_;
    std::deque<Request>
        requests_;  ///< posted and not passed on; the first `flushed_` have had their doorbell
    std::size_t flushed_ = 0;
    std::uint64_t passed_ = 0;
    std::deque<Completion> failures_;
    bool broken_ = false;
};

}  // namespace rb2::fabric::fault
