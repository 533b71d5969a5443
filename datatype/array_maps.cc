#include "datatype/array_maps.hpp"

#include <algorithm>

#include "datatype/checked.hpp"

namespace rb2::datatype {
namespace {

/// Builds from the dimension whose elements lie next to each other outwards. `add(dimension, inner, stride)`
/// gives the part of one dimension, where `inner` is that of the dimensions inside it, `stride` bytes apart.
template <class Dimension, class Add>
TypeMapPtr build(std::span<const Dimension> dimensions, Order order, const TypeMapPtr& element, Add add) {
    TypeMapPtr map = element;
    std::int64_t stride = element->extent();
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const Dimension& dimension = dimensions[order == Order::c ? dimensions.size() - 1 - i : i];
        map = add(dimension, map, stride);
        stride = checked_multiply<std::int64_t>(stride, dimension.whole);
    }
    return TypeMap::resized(0, stride, map);
}

TypeMapPtr displaced(std::int64_t displacement, const TypeMapPtr& map) {
    return displacement == 0 ? map : TypeMap::sequence({{displacement, 1, map.get()}}, {map});
}

/// The runs of one rank: whole ones at equal distance, and a last one that the array's end may cut short.
TypeMapPtr runs_of(const Distribution& dimension, const TypeMapPtr& inner, std::int64_t stride) {
    const std::int64_t round = checked_multiply<std::int64_t>(dimension.run, dimension.ranks);
    const std::int64_t first = checked_multiply<std::int64_t>(dimension.run, dimension.rank);
    const std::int64_t reach = dimension.whole - first;  // from this rank's first element to the end
    const std::int64_t whole_rounds = reach <= 0 ? 0 : reach / round;
    const std::int64_t rest = reach <= 0 ? 0 : reach % round;
    const std::int64_t full = whole_rounds + (rest >= dimension.run ? 1 : 0);
    const std::int64_t cut = rest < dimension.run ? rest : 0;
    const auto bytes = [stride](std::int64_t elements) {
        return checked_multiply<std::int64_t>(elements, stride);
    };
    const TypeMapPtr run = TypeMap::repeat(static_cast<std::uint64_t>(dimension.run), stride, inner);
    const TypeMapPtr runs = TypeMap::repeat(static_cast<std::uint64_t>(full), bytes(round), run);
    if (cut == 0) return displaced(bytes(first), runs);
    const TypeMapPtr last = TypeMap::repeat(static_cast<std::uint64_t>(cut), stride, inner);
    return TypeMap::sequence({{bytes(first), 1, runs.get()}, {bytes(first + full * round), 1, last.get()}},
                             {runs, last});
}

}  // namespace

TypeMapPtr subarray(std::span<const Section> dimensions, Order order, const TypeMapPtr& element) {
    return build(dimensions, order, element,
                 [](const Section& dimension, const TypeMapPtr& inner, std::int64_t stride) {
                     return displaced(
                         checked_multiply<std::int64_t>(dimension.start, stride),
                         TypeMap::repeat(static_cast<std::uint64_t>(dimension.length), stride, inner));
                 });
}

TypeMapPtr distributed_array(std::span<const Distribution> dimensions, Order order,
                             const TypeMapPtr& element) {
    return build(dimensions, order, element, runs_of);
}

}  // namespace rb2::datatype
