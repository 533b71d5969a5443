#pragma once
// A committed datatype: its type map flattened into a short loop program that packs and unpacks.
//
// The idea of a few loop kinds with leaf kernels, and of a program that can be entered at any byte, is that
// of Ross, Miller and Gropp, "Implementing fast and reusable datatype processing" (EuroPVM/MPI 2003),
// sections 2 and 3. Differs from the paper in:
//   - A position is one number of packed bytes, not a stack of loop counters: every loop knows the size of
//     one turn, so entering at a byte is a division per nesting level. A resumed message needs no state but
//     its count of bytes, and can be entered anywhere.
//   - The array of elements that a message is, is flattened with the type: count elements of a vector whose
//     extent continues the stride are one longer vector.
//   - Leaves copy between memory and packed bytes only; there are no leaf callbacks.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "datatype/type_map.hpp"

namespace rb2::datatype {

/// One step of the program. Offsets and strides are bytes of memory, sizes are bytes of data.
struct Step {
    enum class Kind : std::uint8_t {
        empty,
        block,     ///< `bytes` bytes
        strided,   ///< `count` blocks of `bytes`, `stride` apart
        blocks,    ///< `count` entries of the block table from `first`
        loop,      ///< step `first`, `count` times, `stride` apart
        sequence,  ///< `count` steps from `first`
    };
    Kind kind = Kind::empty;
    std::uint32_t first = 0;
    std::int64_t displacement = 0;  ///< from where the enclosing step puts it
    std::uint64_t size = 0;         ///< of all of it
    std::uint64_t start = 0;        ///< bytes of the sequence before this step
    std::uint64_t count = 0;
    std::int64_t stride = 0;
    std::uint64_t bytes = 0;
};

/// Entry of the block table. The next entry's `start` ends it; each table part has one entry more than
/// blocks.
struct BlockEntry {
    std::int64_t displacement = 0;
    std::uint64_t start = 0;
};

class LayoutRef;

/// Immutable, shared by reference count: messages under way keep the layout that their type had. References
/// are taken and given back by one thread at a time.
class Layout {
  public:
    /// Flattens `map`. Throws std::overflow_error and std::bad_alloc.
    static LayoutRef make(const TypeMap& map);

    /// Bytes of data in one element, and from one element to the next.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }

    /// True when `count` elements are bytes one behind the other in memory; then `displacement` is where the
    /// first one lies, in bytes from the buffer's address.
    [[nodiscard]] bool contiguous(std::uint64_t count, std::int64_t& displacement) const noexcept {
        const Step& whole = count == 1 ? element_ : array_;
        displacement = whole.displacement;
        return whole.kind == Step::Kind::block || whole.kind == Step::Kind::empty || count == 0;
    }

    /// Copies the packed bytes `position` to `position + bytes` of the array of elements at `memory` to `to`.
    /// They must exist. `memory` may be null when displacements are addresses.
    void pack(const std::byte* memory, std::uint64_t position, std::byte* to,
              std::uint64_t bytes) const noexcept;
    /// The other way: packed bytes at `from` to their places.
    void unpack(std::byte* memory, std::uint64_t position, const std::byte* from,
                std::uint64_t bytes) const noexcept;

    /// Steps and blocks of the program, for tests and curiosity.
    [[nodiscard]] const Step& array() const noexcept { return array_; }
    [[nodiscard]] std::size_t steps() const noexcept { return steps_.size(); }
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }

  private:
    friend class LayoutRef;
    friend class Flattening;
    template <bool kPack>
    friend class Walk;

    Layout() = default;

    Step array_;    // unbounded many elements
    Step element_;  // one
    std::vector<Step> steps_;
    std::vector<BlockEntry> blocks_;
    std::uint64_t size_ = 0;
    std::int64_t extent_ = 0;
    mutable std::uint32_t references_ = 0;
};

/// Owns one reference.
class LayoutRef {
  public:
    LayoutRef() = default;
    explicit LayoutRef(const Layout* layout) noexcept : layout_(layout) {
        if (layout_ != nullptr) ++layout_->references_;
    }
    LayoutRef(const LayoutRef& other) noexcept : LayoutRef(other.layout_) {}
    LayoutRef(LayoutRef&& other) noexcept : layout_(other.release()) {}
    LayoutRef& operator=(LayoutRef other) noexcept {
        std::swap(layout_, other.layout_);
        return *this;
    }
    ~LayoutRef() { drop(layout_); }

    [[nodiscard]] const Layout* get() const noexcept { return layout_; }
    const Layout& operator*() const noexcept { return *layout_; }
    const Layout* operator->() const noexcept { return layout_; }
    explicit operator bool() const noexcept { return layout_ != nullptr; }

    /// Gives the reference to the caller, who must drop() it once.
    [[nodiscard]] const Layout* release() noexcept { return std::exchange(layout_, nullptr); }
    static void drop(const Layout* layout) noexcept {
        if (layout != nullptr && --layout->references_ == 0) delete layout;
    }

  private:
    const Layout* layout_ = nullptr;
};

}  // namespace rb2::datatype
