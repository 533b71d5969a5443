#include "mpi/op.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "mpi/datatype.hpp"

namespace rb2::mpi {
namespace {

using collective::Maximum;
using collective::Minimum;
using collective::reduction;
using collective::Reduction;

/// Integers wrap around: computed in the unsigned type of their promotion.
template <class T, class Wide>
T wrap(T a, T b, Wide operation) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<decltype(a + b)>;
        return static_cast<T>(operation(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
    } else {
        return operation(a, b);
    }
}

struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        return wrap(a, b, [](auto x, auto y) { return x + y; });
    }
};
struct Product {
    template <class T>
    T operator()(T a, T b) const {
        return wrap(a, b, [](auto x, auto y) { return x * y; });
    }
};
struct BitAnd {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a & b);
    }
};
struct BitOr {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a | b);
    }
};
struct BitXor {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a ^ b);
    }
};
struct LogicalAnd {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a != T{} && b != T{});
    }
};
struct LogicalOr {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a != T{} || b != T{});
    }
};
struct LogicalXor {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>((a != T{}) != (b != T{}));
    }
};
/// The extreme value and the lowest index that has it.
template <bool kLargest>
struct Locate {
    template <class Pair>
    Pair operator()(Pair a, Pair b) const {
        if (a.value == b.value) return {a.value, a.index < b.index ? a.index : b.index};
        return (a.value > b.value) == kLargest ? a : b;
    }
};

/// All operations on one type; those not defined for it have no `apply`.
struct Operations {
    Reduction sum, product, minimum, maximum;
    Reduction bit_and, bit_or, bit_xor;
    Reduction logical_and, logical_or, logical_xor;
    Reduction min_location, max_location;
};

template <class T>
constexpr Operations with_order(Operations operations = {}) {
    operations.minimum = reduction<T, Minimum>();
    operations.maximum = reduction<T, Maximum>();
    return operations;
}
template <class T>
constexpr Operations with_arithmetic(Operations operations = {}) {
    operations.sum = reduction<T, Sum>();
    operations.product = reduction<T, Product>();
    return operations;
}
template <class T>
constexpr Operations with_bits(Operations operations = {}) {
    operations.bit_and = reduction<T, BitAnd>();
    operations.bit_or = reduction<T, BitOr>();
    operations.bit_xor = reduction<T, BitXor>();
    return operations;
}
template <class T>
constexpr Operations with_logic(Operations operations = {}) {
    operations.logical_and = reduction<T, LogicalAnd>();
    operations.logical_or = reduction<T, LogicalOr>();
    operations.logical_xor = reduction<T, LogicalXor>();
    return operations;
}
template <class T>
constexpr Operations with_location(Operations operations = {}) {
    operations.min_location = reduction<ValueIndex<T>, Locate<false>>();
    operations.max_location = reduction<ValueIndex<T>, Locate<true>>();
    return operations;
}

template <class T>
constexpr Operations kInteger = with_logic<T>(with_bits<T>(with_arithmetic<T>(with_order<T>())));
template <class T>
constexpr Operations kFloating = with_arithmetic<T>(with_order<T>());
template <class T>
constexpr Operations kComplex = with_arithmetic<std::complex<T>>();
template <class T>
constexpr Operations kLogical = with_logic<T>();
template <class T>
constexpr Operations kPair = with_location<T>();
constexpr Operations kBits = with_bits<std::uint8_t>();

/// Low byte of the datatype's handle, and what can be done with it. REAL16 and COMPLEX32 have no C type here.
struct Entry {
    std::uint8_t low;
    const Operations* operations;
};
constexpr Entry kEntries[] = {
    {0x01, &kInteger<MPI_Aint>},
    {0x02, &kInteger<MPI_Count>},
    {0x03, &kInteger<MPI_Offset>},
    {0x08, &kInteger<short>},
    {0x09, &kInteger<int>},
    {0x0a, &kInteger<long>},
    {0x0b, &kInteger<long long>},
    {0x0c, &kInteger<unsigned short>},
    {0x0d, &kInteger<unsigned>},
    {0x0e, &kInteger<unsigned long>},
    {0x0f, &kInteger<unsigned long long>},
    {0x10, &kFloating<float>},
    {0x12, &kComplex<float>},
    {0x13, &kComplex<float>},
    {0x14, &kFloating<double>},
    {0x16, &kComplex<double>},
    {0x17, &kComplex<double>},
    {0x18, &kLogical<std::int32_t>},
    {0x19, &kInteger<std::int32_t>},
    {0x1a, &kFloating<float>},
    {0x1b, &kComplex<float>},
    {0x1c, &kFloating<double>},
    {0x1d, &kComplex<double>},
    {0x20, &kFloating<long double>},
    {0x24, &kComplex<long double>},
    {0x25, &kComplex<long double>},
    {0x28, &kPair<float>},
    {0x29, &kPair<double>},
    {0x2a, &kPair<long>},
    {0x2b, &kPair<int>},
    {0x2c, &kPair<short>},
    {0x2d, &kPair<long double>},
    {0x32, &kPair<std::int32_t>},
    {0x38, &kLogical<std::uint8_t>},
    {0x39, &kLogical<std::uint8_t>},
    {0x40, &kInteger<std::int8_t>},
    {0x41, &kInteger<std::uint8_t>},
    {0x43, &kInteger<signed char>},
    {0x44, &kInteger<signed char>},
    {0x45, &kInteger<unsigned char>},
    {0x47, &kBits},
    {0x48, &kInteger<std::int16_t>},
    {0x49, &kInteger<std::uint16_t>},
    {0x50, &kInteger<std::int32_t>},
    {0x51, &kInteger<std::uint32_t>},
    {0x58, &kInteger<std::int64_t>},
    {0x59, &kInteger<std::uint64_t>},
    {0xc0, &kLogical<std::int8_t>},
    {0xc1, &kInteger<std::int8_t>},
    {0xc8, &kLogical<std::int16_t>},
    {0xc9, &kInteger<std::int16_t>},
    {0xd0, &kLogical<std::int32_t>},
    {0xd1, &kInteger<std::int32_t>},
    {0xd2, &kFloating<float>},
    {0xd8, &kLogical<std::int64_t>},
    {0xd9, &kInteger<std::int64_t>},
    {0xda, &kFloating<double>},
    {0xdb, &kComplex<float>},
    {0xe3, &kComplex<double>},
};

const Operations* operations_on(MPI_Datatype datatype) noexcept {
    const std::uintptr_t index = reinterpret_cast<std::uintptr_t>(datatype) - detail::kFirstDatatype;
    for (const Entry& entry : kEntries)
        if (entry.low == index) return entry.operations;
    return nullptr;
}

}  // namespace

Reduction reduction_for(MPI_Op op, MPI_Datatype datatype) noexcept {
    const Operations* const operations = operations_on(datatype);
    if (operations == nullptr) return {};
    if (op == MPI_SUM) return operations->sum;
    if (op == MPI_PROD) return operations->product;
    if (op == MPI_MIN) return operations->minimum;
    if (op == MPI_MAX) return operations->maximum;
    if (op == MPI_BAND) return operations->bit_and;
    if (op == MPI_BOR) return operations->bit_or;
    if (op == MPI_BXOR) return operations->bit_xor;
    if (op == MPI_LAND) return operations->logical_and;
    if (op == MPI_LOR) return operations->logical_or;
    if (op == MPI_LXOR) return operations->logical_xor;
    if (op == MPI_MINLOC) return operations->min_location;
    if (op == MPI_MAXLOC) return operations->max_location;
    return {};
}

}  // namespace rb2::mpi
