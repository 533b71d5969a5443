#pragma once
// The seam between what moves bytes and what decides which bytes to move: an endpoint to ONE peer that offers
// one-sided memory operations and nothing else (docs/wire.md draws what the ring does with them).
//
// Promises every endpoint keeps
//   order        write, write_with_imm and fetch_add take effect at the peer in the order they were posted,
//                unless Capabilities::ordered_messages is false: then in any. A read sees all earlier ones of
//                them, but may be overtaken by later ones: wait for its completion.
//   bytes        the bytes of one write may land in any order unless Capabilities::ordered_bytes. Only an
//                8-byte word aligned at the peer lands whole. To learn that a write has landed, write a word
//                behind it. Those of one read may be taken in any order unless Capabilities::ordered_reads.
//   visibility   a word written behind other writes is read by the peer with a load-acquire; after that load
//                the earlier writes are readable without further synchronisation.
//   doorbell     an operation may stay at the sender until flush(); after flush() it needs no further call.
//   source       the source bytes stay unchanged until the operation is known complete (its own completion,
//                or one posted later), except that a source of at most Capabilities::inline_bytes may be
//                reused at once.
//   completions  one for each operation with a ticket, and one for every operation that fails. Completions of
//                one endpoint come in posting order, except those of reads and fetch_adds, which may come
//                late, and all of them where messages are not ordered.
//   failure      a wrong local argument is Status::invalid_argument at once and changes nothing. A failure at
//                the peer comes as a completion; from then on every operation answers Status::peer_lost.
//   full queue   Status::would_block: nothing was posted; poll() and call again.
// One thread at a time per endpoint.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/status.hpp"

namespace rb2::fabric {

/// Names registered memory to the fabric; 0 where registration is not needed.
using Key = std::uint32_t;

/// Bytes of this process that an operation reads. Not owned. `key` is that of the region they lie in.
struct Source {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    Key key = 0;
};

/// Bytes of this process that an operation fills. Not owned.
struct Sink {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Key key = 0;
};

/// A place in the peer's memory: what Region::remote() gave there, moved forward by bytes.
struct Remote {
    std::uint64_t address = 0;
    Key key = 0;

    friend bool operator==(const Remote&, const Remote&) = default;
};

[[nodiscard]] constexpr Remote operator+(Remote place, std::uint64_t bytes) noexcept {
    return {place.address + bytes, place.key};
}

/// Whether an operation reports its completion: ticket 0 asks for none, any other value comes back in
/// Completion.
struct Signal {
    std::uint64_t ticket = 0;
};
inline constexpr Signal kSilent{};

enum class Operation : std::uint8_t { write, read, fetch_add, imm_arrived, send, received };

/// `imm_arrived`: the peer's write_with_imm has landed here; `imm` is its value, `bytes` the write's length,
/// and `ticket` is 0.
/// `received`: a posted receive is filled (two_sided.hpp); `ticket` is that of the receive.
struct Completion {
    std::uint64_t ticket = 0;
    std::uint32_t imm = 0;
    Operation operation = Operation::write;
    Status status = Status::ok;
    std::uint32_t bytes = 0;  ///< of `received` and `imm_arrived`: length of the message
};

/// What a fabric can do, known at compile time so that a ring that needs more does not compile.
struct Capabilities {
    bool ordered_messages = true;     ///< operations take effect in posting order
    bool ordered_bytes = false;       ///< the bytes of one write land front to back
    bool ordered_reads = false;       ///< those of one read are taken front to back
    bool needs_registration = true;   ///< sources, sinks and remote places must lie in a Region
    bool mapped = false;              ///< the peer's memory can be loaded and stored (MappedEndpoint)
    std::uint32_t inline_bytes = 0;   ///< sources up to this size may be reused as soon as write() returns
    std::uint32_t gather_length = 1;  ///< most sources in one write_gather()
};

/// Registered memory: may be the target of the peer's operations while this object lives. Movable, not
/// copyable.
template <class R>
concept Region = std::movable<R> && requires(const R region) {
    { region.key() }
    noexcept->std::same_as<Key>;
    { region.remote() }
    noexcept->std::same_as<Remote>;
    { region.bytes() }
    noexcept->std::same_as<std::span<std::byte>>;
};

template <class E>
concept Endpoint = requires(E endpoint, std::span<std::byte> memory, Source source, Sink sink, Remote remote,
                            Signal signal, std::span<const Source> sources, std::span<Completion> completions,
                            std::uint64_t addend, std::uint64_t* before, std::uint32_t imm) {
    requires Region<typename E::Region>;
    // A constant expression: policies are checked against it at compile time.
    requires std::same_as<decltype(E::kCapabilities), const Capabilities>;
    typename std::bool_constant<E::kCapabilities.mapped>;

    // Start-up only; throws StartupError naming the range and what to try.
    { endpoint.register_memory(memory) } -> std::same_as<typename E::Region>;

    { endpoint.write(source, remote, signal) }
    noexcept->std::same_as<Status>;
    // The sources land one behind the other.
    { endpoint.write_gather(sources, remote, signal) }
    noexcept->std::same_as<Status>;
    // As write (source may be empty), then an imm_arrived completion at the peer.
    { endpoint.write_with_imm(source, remote, imm, signal) }
    noexcept->std::same_as<Status>;
    { endpoint.read(sink, remote, signal) }
    noexcept->std::same_as<Status>;
    // Adds to the aligned 8-byte word at `remote`; *before gets the old value by the time of the completion.
    { endpoint.fetch_add(before, remote, addend, signal) }
    noexcept->std::same_as<Status>;
    // Rings the doorbell for everything posted since the last one.
    { endpoint.flush() }
    noexcept->std::same_as<Status>;
    // Takes up to completions.size() completions; returns how many. Never blocks.
    { endpoint.poll(completions) }
    noexcept->std::same_as<std::size_t>;
};

/// The peer's memory is mapped here: stores into map() ordered by a release store replace writes.
template <class E>
concept MappedEndpoint = Endpoint<E> &&
                         E::kCapabilities.mapped&& requires(E endpoint, Remote remote, std::size_t bytes) {
    // Null when [remote, remote + bytes) is not inside the peer's memory. Valid as long as the mapping.
    { endpoint.map(remote, bytes) }
    noexcept->std::same_as<std::byte*>;
};

}  // namespace rb2::fabric
