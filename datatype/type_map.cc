#include "datatype/type_map.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "datatype/checked.hpp"

namespace rb2::datatype {

/// Gathers what a map spans, part by part. A bound that a part sets by a marker wins over all data (MPI 5.0,
/// section 5.1.6).
struct TypeMap::Bounds {
    struct Range {
        std::int64_t low = std::numeric_limits<std::int64_t>::max();
        std::int64_t high = std::numeric_limits<std::int64_t>::min();

        void add(std::int64_t at_first, std::int64_t at_last) {
            low = std::min({low, at_first, at_last});
            high = std::max({high, at_first, at_last});
        }
    };
    Range lower_markers;
    Range upper_markers;
    Range data_begin;
    Range data_end;
    bool has_lower = false;
    bool has_upper = false;
    bool has_data = false;
    std::uint32_t alignment = 1;
    std::uint64_t size = 0;
    std::uint64_t external_size = 0;
    std::uint64_t elements = 0;

    void add(std::int64_t displacement, std::uint64_t count, std::int64_t stride, const TypeMap& map) {
        if (count == 0) return;
        const auto last =
            checked_add<std::int64_t>(displacement, checked_multiply<std::int64_t>(count - 1, stride));
        const auto spread = [&](Range& range, std::int64_t bound) {
            range.add(checked_add<std::int64_t>(displacement, bound), checked_add<std::int64_t>(last, bound));
        };
        if (map.lower_marker_) spread(lower_markers, map.lower_bound_);
        if (map.upper_marker_) spread(upper_markers, map.upper_bound_);
        has_lower |= map.lower_marker_;
        has_upper |= map.upper_marker_;
        if (map.elements_ != 0) {
            spread(data_begin, map.true_lower_bound_);
            spread(data_end, map.true_upper_bound_);
            has_data = true;
            alignment = std::max(alignment, map.alignment_);
        }
        size = checked_add<std::uint64_t>(size, checked_multiply<std::uint64_t>(count, map.size_));
        external_size = checked_add<std::uint64_t>(
            external_size, checked_multiply<std::uint64_t>(count, map.external_size_));
        elements =
            checked_add<std::uint64_t>(elements, checked_multiply<std::uint64_t>(count, map.elements_));
    }
};

void TypeMap::set_bounds(const Bounds& bounds) {
    // Sizes are handed out as signed numbers.
    size_ = static_cast<std::uint64_t>(checked_add<std::int64_t>(bounds.size, 0));
    external_size_ = bounds.external_size;
    elements_ = bounds.elements;
    alignment_ = bounds.alignment;
    lower_marker_ = bounds.has_lower;
    upper_marker_ = bounds.has_upper;
    if (bounds.has_data) {
        true_lower_bound_ = bounds.data_begin.low;
        true_upper_bound_ = bounds.data_end.high;
    }
    lower_bound_ = lower_marker_ ? bounds.lower_markers.low : true_lower_bound_;
    upper_bound_ = upper_marker_ ? bounds.upper_markers.high : true_upper_bound_;
    if (upper_marker_ || !bounds.has_data) return;
    // The standard's epsilon: so that the next element is as well aligned as this one.
    const auto span = checked_subtract<std::int64_t>(upper_bound_, lower_bound_);
    const std::int64_t rest = span % alignment_;
    if (rest > 0) upper_bound_ = checked_add<std::int64_t>(upper_bound_, alignment_ - rest);
}

TypeMapPtr TypeMap::basic(const Basic& element) {
    std::shared_ptr<TypeMap> map(new TypeMap(Kind::basic));
    map->element_ = element;
    map->alignment_ = element.alignment;
    map->size_ = element.bytes;
    map->external_size_ = element.external_bytes;
    map->elements_ = 1;
    map->upper_bound_ = map->true_upper_bound_ = element.bytes;
    return map;
}

TypeMapPtr TypeMap::repeat(std::uint64_t count, std::int64_t stride, const TypeMapPtr& child) {
    std::shared_ptr<TypeMap> map(new TypeMap(Kind::repeat));
    map->count_ = count;
    map->stride_ = stride;
    Bounds bounds;
    bounds.add(0, count, stride, *child);
    map->set_bounds(bounds);
    map->owners_.push_back(child);
    return map;
}

TypeMapPtr TypeMap::contiguous(std::uint64_t count, const TypeMapPtr& child) {
    return repeat(count, child->extent(), child);
}

TypeMapPtr TypeMap::vector(std::uint64_t count, std::uint64_t block_length, std::int64_t stride,
                           const TypeMapPtr& child) {
    return repeat(count, stride, contiguous(block_length, child));
}

TypeMapPtr TypeMap::sequence(std::vector<Piece> pieces, std::vector<TypeMapPtr> owners) {
    std::shared_ptr<TypeMap> map(new TypeMap(Kind::sequence));
    Bounds bounds;
    for (const Piece& piece : pieces)
        bounds.add(piece.displacement, piece.count, piece.map->extent(), *piece.map);
    map->set_bounds(bounds);
    map->pieces_ = std::move(pieces);
    map->owners_ = std::move(owners);
    return map;
}

TypeMapPtr TypeMap::resized(std::int64_t lower_bound, std::int64_t extent, const TypeMapPtr& child) {
    std::shared_ptr<TypeMap> map(new TypeMap(Kind::repeat));
    map->count_ = 1;
    Bounds bounds;
    bounds.add(0, 1, 0, *child);
    map->set_bounds(bounds);
    map->owners_.push_back(child);
    map->lower_bound_ = lower_bound;
    map->upper_bound_ = checked_add<std::int64_t>(lower_bound, extent);
    map->lower_marker_ = map->upper_marker_ = true;
    return map;
}

namespace {

/// Of one repetition's or sequence's first `bytes` (less than its size), so that the loop below need not
/// recurse: the part in which they end, and the bytes of it.
struct Descent {
    const TypeMap* part;
    std::uint64_t elements;  ///< before it
    std::uint64_t bytes;     ///< in an array of it
};

Descent descend(const TypeMap& map, std::uint64_t bytes) noexcept {
    if (map.kind() == TypeMap::Kind::repeat) return {&map.child(), 0, bytes};
    std::uint64_t elements = 0;
    for (const Piece& piece : map.pieces()) {
        const std::uint64_t whole = piece.count * piece.map->size();
        if (bytes < whole) return {piece.map, elements, bytes};
        bytes -= whole;
        elements += piece.count * piece.map->elements();
    }
    return {nullptr, elements, 0};
}

}  // namespace

ElementCount count_elements(const TypeMap& map, std::uint64_t bytes) noexcept {
    std::uint64_t elements = 0;
    const TypeMap* part = &map;
    while (part != nullptr && part->size() != 0) {
        elements += bytes / part->size() * part->elements();
        bytes %= part->size();
        if (bytes == 0 || part->kind() == TypeMap::Kind::basic) break;
        const Descent down = descend(*part, bytes);
        elements += down.elements;
        bytes = down.bytes;
        part = down.part;
    }
    return {elements, bytes};
}

std::uint64_t bytes_of_elements(const TypeMap& map, std::uint64_t elements) noexcept {
    std::uint64_t bytes = 0;
    const TypeMap* part = &map;
    while (part != nullptr && part->elements() != 0) {
        bytes += elements / part->elements() * part->size();
        elements %= part->elements();
        if (elements == 0 || part->kind() == TypeMap::Kind::basic) break;
        const TypeMap* next = part->kind() == TypeMap::Kind::repeat ? &part->child() : nullptr;
        for (const Piece& piece : part->pieces()) {
            const std::uint64_t whole = piece.count * piece.map->elements();
            next = piece.map;
            if (elements < whole) break;
            elements -= whole;
            bytes += piece.count * piece.map->size();
        }
        part = next;
    }
    return bytes;
}

}  // namespace rb2::datatype
