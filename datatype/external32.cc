#include "datatype/external32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstring>

#include "datatype/kernels.hpp"

namespace rb2::datatype {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written with their bytes in reverse order");

using Wide = std::array<std::byte, 16>;  // little-endian

// x87: 64 bits of significand with its leading one, then sign and exponent. The 128-bit format has the same
// exponent and 112 bits behind a leading one that is not stored, so that one moves up by 49 bits.
static_assert(LDBL_MANT_DIG == 64 && sizeof(long double) == 16);
constexpr unsigned kSignificandShift = 49;

Wide to_binary128(const Wide& extended) {
    std::uint64_t significand = 0;
    std::uint16_t sign_exponent = 0;
    std::memcpy(&significand, extended.data(), 8);
    std::memcpy(&sign_exponent, extended.data() + 8, 2);
    significand &= ~(std::uint64_t{1} << 63);
    const std::uint64_t low = significand << kSignificandShift;
    const std::uint64_t high = significand >> (64 - kSignificandShift) | std::uint64_t{sign_exponent} << 48;
    Wide result;
    std::memcpy(result.data(), &low, 8);
    std::memcpy(result.data() + 8, &high, 8);
    return result;
}

Wide from_binary128(const Wide& wide) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, wide.data(), 8);
    std::memcpy(&high, wide.data() + 8, 8);
    const auto sign_exponent = static_cast<std::uint16_t>(high >> 48);
    const std::uint64_t fraction =
        (high & 0xffffffffffffU) << (64 - kSignificandShift) | low >> kSignificandShift;
    const std::uint64_t leading = (sign_exponent & 0x7fffU) != 0 ? std::uint64_t{1} << 63 : 0;
    const std::uint64_t significand = leading | fraction;
    Wide result{};
    std::memcpy(result.data(), &significand, 8);
    std::memcpy(result.data() + 8, &sign_exponent, 2);
    return result;
}

/// One number of an element, as both sides have it.
struct Number {
    std::size_t bytes;
    std::size_t external_bytes;
    Representation representation;

    explicit Number(const Basic& element)
        : bytes(std::min<std::size_t>(element.bytes / element.parts, sizeof(Wide))),
          external_bytes(std::min<std::size_t>(element.external_bytes / element.parts, sizeof(Wide))),
          representation(element.representation) {}
    [[nodiscard]] bool is_long_double() const {
        return representation == Representation::floating && bytes == sizeof(long double);
    }
    /// Byte that widens an integer whose most significant byte is `top`.
    [[nodiscard]] std::byte filler(std::byte top) const {
        const bool negative =
            representation == Representation::signed_int && (top & std::byte{0x80}) != std::byte{0};
        return negative ? std::byte{0xff} : std::byte{0};
    }
};

/// Integers are cut, or widened from `bytes`.
Wide widened(const Number& number, Wide value, std::size_t bytes) {
    std::fill(value.begin() + static_cast<std::ptrdiff_t>(bytes), value.end(),
              number.filler(value[bytes - 1]));
    return value;
}

void write_number(const Number& number, const std::byte* from, std::byte* to) {
    Wide value{};
    std::memcpy(value.data(), from, number.bytes);
    value = number.is_long_double() ? to_binary128(value) : widened(number, value, number.bytes);
    std::reverse_copy(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(number.external_bytes), to);
}

void read_number(const Number& number, std::byte* to, const std::byte* from) {
    Wide value{};
    std::reverse_copy(from, from + number.external_bytes, value.begin());
    value = number.is_long_double() ? from_binary128(value) : widened(number, value, number.external_bytes);
    std::memcpy(to, value.data(), number.bytes);
}

void write_element(const Basic& element, Address memory, std::byte* to) {
    const auto* const place = reinterpret_cast<const std::byte*>(memory);
    const Number number(element);
    if (element.representation == Representation::bytes)
        std::memcpy(to, place, element.bytes);
    else
        for (std::size_t i = 0; i < element.parts; ++i)
            write_number(number, place + i * number.bytes, to + i * number.external_bytes);
}

void read_element(const Basic& element, Address memory, const std::byte* from) {
    auto* const place = reinterpret_cast<std::byte*>(memory);
    const Number number(element);
    if (element.representation == Representation::bytes)
        std::memcpy(place, from, element.bytes);
    else
        for (std::size_t i = 0; i < element.parts; ++i)
            read_number(number, place + i * number.bytes, from + i * number.external_bytes);
}

/// Calls `visit(element, address)` for every basic element of `count` elements of `map`, in order.
template <class Visit>
void for_each_element(const TypeMap& map, Address memory, std::uint64_t count, std::int64_t stride,
                      const Visit& visit) {
    for (std::uint64_t i = 0; i < count; ++i, memory = shifted(memory, stride)) {
        switch (map.kind()) {
            case TypeMap::Kind::basic:
                visit(map.element(), memory);
                break;
            case TypeMap::Kind::repeat:
                for_each_element(map.child(), memory, map.count(), map.stride(), visit);
                break;
            case TypeMap::Kind::sequence:
                for (const Piece& piece : map.pieces())
                    for_each_element(*piece.map, shifted(memory, piece.displacement), piece.count,
                                     piece.map->extent(), visit);
                break;
        }
    }
}

}  // namespace

void pack_external(const TypeMap& map, const std::byte* memory, std::uint64_t count, std::byte* to) {
    for_each_element(map, reinterpret_cast<Address>(memory), count, map.extent(),
                     [&to](const Basic& element, Address place) {
                         write_element(element, place, to);
                         to += element.external_bytes;
                     });
}

void unpack_external(const TypeMap& map, std::byte* memory, std::uint64_t count, const std::byte* from) {
    for_each_element(map, reinterpret_cast<Address>(memory), count, map.extent(),
                     [&from](const Basic& element, Address place) {
                         read_element(element, place, from);
                         from += element.external_bytes;
                     });
}

}  // namespace rb2::datatype
