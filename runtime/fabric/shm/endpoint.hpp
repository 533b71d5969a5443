#pragma once
// Shared memory as a fabric: the peer's window is mapped here, a write is a copy, and a write of one aligned
// 8-byte word is a release store, which is what makes it visible behind the copies before it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/shm/imm_queue.hpp"

namespace rb2::fabric::shm {

/// Nothing to release: mapping the window is all the registration there is.
class Region {
  public:
    Region(std::span<std::byte> bytes, std::uint64_t offset) noexcept : bytes_(bytes), offset_(offset) {}
    [[nodiscard]] Key key() const noexcept { return 0; }
    [[nodiscard]] Remote remote() const noexcept { return {offset_, 0}; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  private:
    std::span<std::byte> bytes_;
    std::uint64_t offset_;  ///< from the start of the own window
};

/// The memory an endpoint works on; all of it is owned by the caller and outlives the endpoint.
struct Windows {
    std::span<std::byte> own;      ///< what the peer may reach; Remote addresses are offsets into it
    std::span<std::byte> peer;     ///< the peer's window as mapped here
    ImmQueue* outgoing = nullptr;  ///< in shared memory; null: write_with_imm is refused
    ImmQueue* incoming = nullptr;  ///< in shared memory; null: no immediate ever arrives
};

/// Operations take effect before they return; completions are ready at once.
class Endpoint {
  public:
    using Region = shm::Region;
    static constexpr Capabilities kCapabilities{.ordered_bytes = false,  // memcpy promises no order of stores
                                                .ordered_reads = true,   // each word's load has acquire order
                                                .needs_registration = false,
                                                .mapped = true,
                                                .inline_bytes = ~std::uint32_t{0},
                                                .gather_length = 16};
    static constexpr std::size_t kCompletionCapacity = 16;

    explicit Endpoint(Windows windows) noexcept : windows_(windows) {}

    /// `memory` must lie in the own window, else StartupError.
    [[nodiscard]] Region register_memory(std::span<std::byte> memory) const;

    [[nodiscard]] std::byte* map(Remote remote, std::size_t bytes) noexcept {
        const bool inside =
            remote.address <= windows_.peer.size() && bytes <= windows_.peer.size() - remote.address;
        return inside ? windows_.peer.data() + remote.address : nullptr;
    }

    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        std::byte* const target = map(remote, source.bytes);
        if (target == nullptr) return Status::invalid_argument;
        if (completions_full(signal)) return Status::would_block;
        store(target, source);
        complete({.ticket = signal.ticket});
        return Status::ok;
    }

    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept;
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept;
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept;
    Status flush() noexcept { return Status::ok; }
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;

  protected:  // for MessageEndpoint
    /// Stores the sources one behind the other, each by `store_one(target, source)`.
    template <class Store>
    Status gather(std::span<const Source> sources, Remote remote, Signal signal, Store store_one) noexcept {
        std::size_t bytes = 0;
        for (const Source& source : sources) bytes += source.bytes;
        std::byte* target = map(remote, bytes);
        if (target == nullptr || sources.size() > kCapabilities.gather_length)
            return Status::invalid_argument;
        if (completions_full(signal)) return Status::would_block;
        for (const Source& source : sources) {
            store_one(target, source);
            target += source.bytes;
        }
        complete({.ticket = signal.ticket});
        return Status::ok;
    }
    [[nodiscard]] bool completions_full(Signal signal) const noexcept {
        return signal.ticket != 0 && completed_ - polled_ == kCompletionCapacity;
    }

    void complete(const Completion& completion) noexcept {
        if (completion.ticket != 0) completions_[completed_++ % kCompletionCapacity] = completion;
    }

  private:
    static bool is_word(const void* place, std::size_t bytes) noexcept {
        return bytes == sizeof(std::uint64_t) &&
               reinterpret_cast<std::uintptr_t>(place) % sizeof(std::uint64_t) == 0;
    }

    static void store(std::byte* target, Source source) noexcept {
        if (!is_word(target, source.bytes)) {
            if (source.bytes != 0) std::memcpy(target, source.data, source.bytes);
            return;
        }
        std::uint64_t word = 0;
        std::memcpy(&word, source.data, sizeof word);
        // Release: every earlier write of this endpoint is readable once the word is seen.
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(target)).store(word, std::memory_order_release);
    }

    Windows windows_;
    std::uint64_t completed_ = 0;  ///< completions ever made, and
    std::uint64_t polled_ = 0;     ///< ever handed out
    std::array<Completion, kCompletionCapacity> completions_{};
};

}  // namespace rb2::fabric::shm
