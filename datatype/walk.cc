// Running a layout's program over a window of packed bytes.

#include <algorithm>
#include <span>

#include "datatype/kernels.hpp"
#include "datatype/layout.hpp"

namespace rb2::datatype {

/// Packs or unpacks. `from` and `to` are always bytes of the step at hand, from < to <= its size.
template <bool kPack>
class Walk {
  public:
    Walk(const Layout& layout, std::byte* packed) : layout_(layout), packed_(packed) {}

    void run(const Step& step, Address memory, std::uint64_t from, std::uint64_t to) noexcept {
        memory = shifted(memory, step.displacement);
        switch (step.kind) {
            case Step::Kind::empty:
                return;
            case Step::Kind::block:
                packed_ = move_block<kPack>(memory + from, packed_, to - from);
                return;
            case Step::Kind::strided:
                return strided(step, memory, from, to);
            case Step::Kind::blocks:
                return blocks(step, memory, from, to);
            case Step::Kind::loop:
                return loop(step, memory, from, to);
            case Step::Kind::sequence:
                return sequence(step, memory, from, to);
        }
    }

  private:
    void strided(const Step& step, Address memory, std::uint64_t from, std::uint64_t to) noexcept {
        const std::uint64_t first = from / step.bytes;
        const std::uint64_t inside = from % step.bytes;
        memory = shifted(memory, static_cast<std::int64_t>(first) * step.stride);
        std::uint64_t left = to - from;
        if (inside != 0) {  // the window begins in a block
            const std::uint64_t head = std::min(left, step.bytes - inside);
            packed_ = move_block<kPack>(memory + inside, packed_, head);
            left -= head;
            memory = shifted(memory, step.stride);
        }
        const std::uint64_t whole = left / step.bytes;
        packed_ = move_blocks<kPack>(memory, step.bytes, step.stride, whole, packed_);
        left -= whole * step.bytes;
        if (left != 0)  // and ends in one
            packed_ = move_block<kPack>(shifted(memory, static_cast<std::int64_t>(whole) * step.stride),
                                        packed_, left);
    }

    void blocks(const Step& step, Address memory, std::uint64_t from, std::uint64_t to) noexcept {
        // One more than there are blocks: each ends where the next one starts.
        const std::span<const BlockEntry> table(&layout_.blocks_[step.first], step.count + 1);
        std::size_t at = from == 0 ? 0 : containing(table, from);
        for (; from < to; ++at) {
            const std::uint64_t bytes = std::min(table[at + 1].start, to) - from;
            const std::uint64_t inside = from - table[at].start;
            packed_ = move_block<kPack>(shifted(memory, table[at].displacement) + inside, packed_, bytes);
            from += bytes;
        }
    }

    void loop(const Step& step, Address memory, std::uint64_t from, std::uint64_t to) noexcept {
        const Step& body = layout_.steps_[step.first];
        const std::uint64_t first = from / body.size;
        std::uint64_t inside = from % body.size;
        std::uint64_t left = to - from;
        memory = shifted(memory, static_cast<std::int64_t>(first) * step.stride);
        while (left != 0) {
            const std::uint64_t turn = std::min(left, body.size - inside);
            run(body, memory, inside, inside + turn);
            left -= turn;
            inside = 0;
            memory = shifted(memory, step.stride);
        }
    }

    void sequence(const Step& step, Address memory, std::uint64_t from, std::uint64_t to) noexcept {
        const std::span<const Step> parts(&layout_.steps_[step.first], step.count);
        for (std::size_t at = from == 0 ? 0 : containing(parts, from); from < to; ++at) {
            const Step& part = parts[at];
            const std::uint64_t end = std::min(part.start + part.size, to);
            run(part, memory, from - part.start, end - part.start);
            from = end;
        }
    }

    /// Index of the part that holds byte `position`: the last that starts at or before it.
    template <class Part>
    static std::size_t containing(std::span<const Part> parts, std::uint64_t position) noexcept {
        const auto behind =
            std::upper_bound(parts.begin(), parts.end(), position,
                             [](std::uint64_t wanted, const Part& part) { return wanted < part.start; });
        return static_cast<std::size_t>(behind - parts.begin()) - 1;
    }

    const Layout& layout_;
    std::byte* packed_;
};

void Layout::pack(const std::byte* memory, std::uint64_t position, std::byte* to,
                  std::uint64_t bytes) const noexcept {
    if (bytes != 0)
        Walk<true>(*this, to).run(array_, reinterpret_cast<Address>(memory), position, position + bytes);
}

void Layout::unpack(std::byte* memory, std::uint64_t position, const std::byte* from,
                    std::uint64_t bytes) const noexcept {
    // The walk reads from the packed side only in this direction.
    if (bytes != 0)
        Walk<false>(*this, const_cast<std::byte*>(from))
            .run(array_, reinterpret_cast<Address>(memory), position, position + bytes);
}

}  // namespace rb2::datatype
