#pragma once
// What a datatype describes: an immutable tree of repetitions and sequences over basic types (MPI 5.0,
// section 5.1, "type map"). Trees share their parts. Constructors check for overflow and throw
// std::overflow_error; nothing here runs while a message is under way.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rb2::datatype {

/// How a basic element is represented: what external32 must know to convert it.
enum class Representation : std::uint8_t {
    bytes,       ///< taken as it is: characters, bytes, packed data
    signed_int,  ///< two's complement
    unsigned_int,
    floating,  ///< IEEE 754; long double in its own format
};

/// One basic element of a type map.
struct Basic {
    std::uint32_t bytes = 1;           ///< at most 16 per part, unless it is taken as it is
    std::uint32_t alignment = 1;       ///< bytes
    std::uint32_t external_bytes = 1;  ///< in external32
    Representation representation = Representation::bytes;
    std::uint8_t parts = 1;  ///< a complex number is an element of two
};

class TypeMap;
using TypeMapPtr = std::shared_ptr<const TypeMap>;

/// `count` elements of `map`, one extent apart, the first at `displacement` bytes.
struct Piece {
    std::int64_t displacement = 0;
    std::uint64_t count = 0;
    const TypeMap* map = nullptr;
};

class TypeMap {
  public:
    enum class Kind : std::uint8_t { basic, repeat, sequence };

    // --- Constructors. Displacements and strides are bytes.
    /// One basic element.
    static TypeMapPtr basic(const Basic& element);
    /// `count` elements of `child`, `stride` apart.
    static TypeMapPtr repeat(std::uint64_t count, std::int64_t stride, const TypeMapPtr& child);
    /// `count` elements of `child`, its extent apart.
    static TypeMapPtr contiguous(std::uint64_t count, const TypeMapPtr& child);
    /// `count` blocks of `block_length` elements, `stride` apart.
    static TypeMapPtr vector(std::uint64_t count, std::uint64_t block_length, std::int64_t stride,
                             const TypeMapPtr& child);
    /// The pieces in order. `owners` keep alive what they point to.
    static TypeMapPtr sequence(std::vector<Piece> pieces, std::vector<TypeMapPtr> owners);
    /// The same data with other bounds; those set before are forgotten.
    static TypeMapPtr resized(std::int64_t lower_bound, std::int64_t extent, const TypeMapPtr& child);

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    /// Bytes of data in one element, gaps not counted.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /// Number of basic elements.
    [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
    [[nodiscard]] std::int64_t lower_bound() const noexcept { return lower_bound_; }
    [[nodiscard]] std::int64_t extent() const noexcept { return upper_bound_ - lower_bound_; }
    /// First byte of data and bytes from there to behind the last; both 0 without data.
    [[nodiscard]] std::int64_t true_lower_bound() const noexcept { return true_lower_bound_; }
    [[nodiscard]] std::int64_t true_extent() const noexcept { return true_upper_bound_ - true_lower_bound_; }
    /// Bytes of one element in external32.
    [[nodiscard]] std::uint64_t external_size() const noexcept { return external_size_; }

    /// Of a basic map.
    [[nodiscard]] const Basic& element() const noexcept { return element_; }
    /// Of a repetition.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::int64_t stride() const noexcept { return stride_; }
    [[nodiscard]] const TypeMap& child() const noexcept { return *owners_.front(); }
    /// Of a sequence.
    [[nodiscard]] std::span<const Piece> pieces() const noexcept { return pieces_; }

  private:
    struct Bounds;
    explicit TypeMap(Kind kind) : kind_(kind) {}
    void set_bounds(const Bounds& bounds);

    Kind kind_;
    bool lower_marker_ = false;  // the bound was set by resized(), here or in a part
    bool upper_marker_ = false;
    Basic element_;
    std::uint32_t alignment_ = 1;
    std::uint64_t size_ = 0;
    std::uint64_t external_size_ = 0;
    std::uint64_t elements_ = 0;
    std::int64_t lower_bound_ = 0;
    std::int64_t upper_bound_ = 0;
    std::int64_t true_lower_bound_ = 0;
    std::int64_t true_upper_bound_ = 0;
    std::uint64_t count_ = 0;
    std::int64_t stride_ = 0;
    std::vector<Piece> pieces_;
    std::vector<TypeMapPtr> owners_;
};

/// How many basic elements the first `bytes` packed bytes of an array of `map` hold.
struct ElementCount {
    std::uint64_t elements = 0;
    std::uint64_t rest = 0;  ///< bytes of a further element that is not whole
};
[[nodiscard]] ElementCount count_elements(const TypeMap& map, std::uint64_t bytes) noexcept;

/// The packed bytes that the first `elements` basic elements of an array of `map` take: the inverse. A map
/// without elements takes none.
[[nodiscard]] std::uint64_t bytes_of_elements(const TypeMap& map, std::uint64_t elements) noexcept;

}  // namespace rb2::datatype
