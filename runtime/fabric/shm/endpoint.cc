#include "runtime/fabric/shm/endpoint.hpp"

#include <fmt/format.h>

namespace rb2::fabric::shm {

static_assert(MappedEndpoint<Endpoint>);

namespace {

/// Whether it is a word or two, as bells and offers are: then what they tell of is read next, and TSan must
/// see the order.
bool tells(const std::byte* from, std::size_t bytes) noexcept {
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    return (bytes == word_bytes || bytes == 2 * word_bytes) &&
           reinterpret_cast<std::uintptr_t>(from) % word_bytes == 0;
}

/// Acquire, each word: what the peer did before it stored it is readable afterwards.
void load_telling(std::byte* to, std::byte* from, std::size_t bytes) noexcept {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word =
            std::atomic_ref(*reinterpret_cast<std::uint64_t*>(from + at)).load(std::memory_order_acquire);
        std::memcpy(to + at, &word, sizeof word);
    }
}

/// Copies as a card reads: the owner may be storing into the bytes at this moment, and only aligned words are
/// whole. Front to back, each word with acquire order, so that a tag in a word covers what was stored before
/// it. Not checked by TSan, which would take reading what is just being filled for an error of the caller; a
/// caller who reads such bytes finds out by a tag or a checksum (runtime/channel). Built-in, because a call
/// to std::atomic_ref would be checked.
[[gnu::no_sanitize_thread, gnu::noinline]] void load_words(std::byte* to, const std::byte* from,
                                                           std::size_t bytes) noexcept {
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    for (std::size_t at = 0; at < bytes;) {
        const bool aligned = reinterpret_cast<std::uintptr_t>(from + at) % word_bytes == 0;
        if (aligned && bytes - at >= word_bytes) {
            const std::uint64_t word =
                __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from + at), __ATOMIC_ACQUIRE);
            __builtin_memcpy(to + at, &word, word_bytes);
            at += word_bytes;
        } else {
            to[at] = std::byte{
                __atomic_load_n(reinterpret_cast<const unsigned char*>(from + at), __ATOMIC_ACQUIRE)};
            ++at;
        }
    }
}

}  // namespace

Region Endpoint::register_memory(std::span<std::byte> memory) const {
    const auto start = reinterpret_cast<std::uintptr_t>(windows_.own.data());
    const auto place = reinterpret_cast<std::uintptr_t>(memory.data());
    if (place < start || place - start > windows_.own.size() ||
        memory.size() > windows_.own.size() - (place - start)) {
        throw StartupError(fmt::format(
            "shm fabric: {} bytes at {:#x} are not inside this rank's shared window of {} bytes at {:#x}; "
            "allocate them from the window",
            memory.size(), place, windows_.own.size(), start));
    }
    return {memory, place - start};
}

Status Endpoint::write_gather(std::span<const Source> sources, Remote remote, Signal signal) noexcept {
    return gather(sources, remote, signal, store);
}

Status Endpoint::write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal) noexcept {
    std::byte* const target = map(remote, source.bytes);
    if (target == nullptr || windows_.outgoing == nullptr) return Status::invalid_argument;
    if (completions_full(signal)) return Status::would_block;
    // Storing again after a refused push is harmless: the bytes count only once the immediate arrives.
    store(target, source);
    const auto bytes = static_cast<std::uint32_t>(source.bytes);
    if (!windows_.outgoing->push({imm, bytes})) return Status::would_block;
    complete({.ticket = signal.ticket});
    return Status::ok;
}

Status Endpoint::read(Sink sink, Remote remote, Signal signal) noexcept {
    std::byte* const origin = map(remote, sink.bytes);
    if (origin == nullptr) return Status::invalid_argument;
    if (completions_full(signal)) return Status::would_block;
    if (tells(origin, sink.bytes)) {
        load_telling(sink.data, origin, sink.bytes);
    } else {
        load_words(sink.data, origin, sink.bytes);
    }
    complete({.ticket = signal.ticket, .operation = Operation::read});
    return Status::ok;
}

Status Endpoint::fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                           Signal signal) noexcept {
    std::byte* const word = map(remote, sizeof addend);
    if (word == nullptr || !is_word(word, sizeof addend)) return Status::invalid_argument;
    if (completions_full(signal)) return Status::would_block;
    // Both orders: it follows the earlier writes, and what the peer published before is readable after it.
    *before =
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word)).fetch_add(addend, std::memory_order_acq_rel);
    complete({.ticket = signal.ticket, .operation = Operation::fetch_add});
    return Status::ok;
}

std::size_t Endpoint::poll(std::span<Completion> completions) noexcept {
    std::size_t count = 0;
    while (count < completions.size() && polled_ != completed_) {
        completions[count++] = completions_[polled_++ % kCompletionCapacity];
    }
    ImmQueue::Value value{};
    while (windows_.incoming != nullptr && count < completions.size() && windows_.incoming->pop(value)) {
        completions[count++] = {.imm = value.imm, .operation = Operation::imm_arrived, .bytes = value.bytes};
    }
    return count;
}

}  // namespace rb2::fabric::shm
