#pragma once
// What a message is matched by, the two wildcards, and how a set of envelopes becomes a hash key.

#include <cstdint>

namespace rb2::matching {

/// Receives only: any sender of the context. Real sources are >= 0.
inline constexpr std::int32_t kAnySource = -1;
/// Receives only: any tag. Every other value, negative ones included, is a real tag.
inline constexpr std::int32_t kAnyTag = -2;

/// Matching information of a message (no wildcards) or of a receive (wildcards allowed: then called a
/// pattern). `source` is the world rank, whatever the communicator, so that one number means one peer in
/// every context.
///
/// Context and tag are one word, as a record brings them: an envelope is then two registers. Of three fields
/// the compiler builds it on the stack, and reading a wide word there right behind narrow stores waits until
/// every older store, those into the peer's ring too, has reached the cache.
struct Envelope {
    std::uint64_t word = 0;  ///< context in the upper half, tag in the lower
    std::int32_t source = 0;

    constexpr Envelope() = default;
    constexpr Envelope(std::uint32_t in, std::int32_t from, std::int32_t with)
        : word(std::uint64_t{in} << 32U | static_cast<std::uint32_t>(with)), source(from) {}
    /// From a record's word.
    constexpr Envelope(std::uint64_t context_and_tag, std::int32_t from)
        : word(context_and_tag), source(from) {}

    [[nodiscard]] constexpr std::uint32_t context() const { return static_cast<std::uint32_t>(word >> 32U); }
    [[nodiscard]] constexpr std::int32_t tag() const { return static_cast<std::int32_t>(word); }
    constexpr void set_tag(std::int32_t value) { *this = {context(), source, value}; }

    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// The four wildcard patterns. Bit 0: any source. Bit 1: any tag.
enum class PatternClass : std::uint8_t { exact = 0, any_source = 1, any_tag = 2, any_both = 3 };
inline constexpr unsigned kPatternClasses = 4;

/// Class of a receive's pattern.
constexpr PatternClass class_of(Envelope pattern) {
    const unsigned any_source = pattern.source == kAnySource ? 1U : 0U;
    const unsigned any_tag = pattern.tag() == kAnyTag ? 2U : 0U;
    return static_cast<PatternClass>(any_source | any_tag);
}

/// The only pattern of class `which` that matches the message `exact`. A receive of that class matches the
/// message exactly when its pattern equals this one, so a wildcard match becomes an equality of keys.
constexpr Envelope pattern_of(Envelope exact, PatternClass which) {
    const auto bits = static_cast<unsigned>(which);
    if ((bits & 1U) != 0) exact.source = kAnySource;
    if ((bits & 2U) != 0) exact.set_tag(kAnyTag);
    return exact;
}

/// True when a receive with `pattern` may take a message with the envelope `exact`.
constexpr bool matches(Envelope pattern, Envelope exact) {
    return pattern_of(exact, class_of(pattern)) == pattern;
}

/// Mixes all 96 bits into 32 that are usable from the low end. Two multiplications side by side, a fold and a
/// third multiplication: about 10 cycles. Consecutive ranks and tags spread like random ones.
constexpr std::uint32_t hash_of(Envelope key) {
    const auto source = static_cast<std::uint32_t>(key.source);
    std::uint64_t mixed = key.word * 0x9E3779B97F4A7C15U;
    mixed += source * 0xD6E8FEB86659FD93U;
    mixed ^= mixed >> 32U;
    return static_cast<std::uint32_t>((mixed * 0xA0761D6478BD642FU) >> 32U);
}

}  // namespace rb2::matching
