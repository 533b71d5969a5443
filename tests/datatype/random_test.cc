// Random nested types against a reference that keeps the type map as the standard writes it: a list of basic
// elements with displacements. RB2_DATATYPE_SEED repeats one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "datatype/array_maps.hpp"
#include "datatype/layout.hpp"
#include "tests/datatype/maps.hpp"

namespace rb2::datatype {
namespace {

using Random = std::mt19937_64;

/// The reference.
struct Reference {
    struct Entry {
        std::int64_t displacement;
        std::uint32_t bytes;
    };
    std::vector<Entry> entries;
    std::optional<std::int64_t> lower_marker;
    std::optional<std::int64_t> upper_marker;
    std::uint32_t alignment = 1;

    [[nodiscard]] std::int64_t true_lower() const {
        std::int64_t bound = entries.empty() ? 0 : entries.front().displacement;
        for (const Entry& entry : entries) bound = std::min(bound, entry.displacement);
        return bound;
    }
    [[nodiscard]] std::int64_t true_upper() const {
        std::int64_t bound = entries.empty() ? 0 : entries.front().displacement + entries.front().bytes;
        for (const Entry& entry : entries) bound = std::max(bound, entry.displacement + entry.bytes);
        return bound;
    }
    [[nodiscard]] std::int64_t lower() const { return lower_marker.value_or(true_lower()); }
    [[nodiscard]] std::int64_t upper() const {
        if (upper_marker) return *upper_marker;
        std::int64_t bound = true_upper();
        if (!entries.empty())
            while (bound > lower() && (bound - lower()) % alignment != 0) ++bound;
        return bound;
    }
    [[nodiscard]] std::int64_t extent() const { return upper() - lower(); }
    [[nodiscard]] std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (const Entry& entry : entries) sum += entry.bytes;
        return sum;
    }

    void place(const Reference& part, std::int64_t at) {
        for (const Entry& entry : part.entries) entries.push_back({entry.displacement + at, entry.bytes});
        if (part.lower_marker)
            lower_marker = std::min(lower_marker.value_or(*part.lower_marker + at), *part.lower_marker + at);
        if (part.upper_marker)
            upper_marker = std::max(upper_marker.value_or(*part.upper_marker + at), *part.upper_marker + at);
        if (!part.entries.empty()) alignment = std::max(alignment, part.alignment);
    }
    void place(const Reference& part, std::int64_t at, std::int64_t count) {
        const std::int64_t extent = part.extent();
        for (std::int64_t i = 0; i < count; ++i) place(part, at + i * extent);
    }
};

struct Both {
    TypeMapPtr map;
    Reference reference;
};

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

Both make(Random& random, int depth);

Both make_basic(Random& random) {
    constexpr std::uint32_t sizes[] = {1, 2, 4, 8, 16};
    const std::uint32_t bytes = sizes[pick(random, 0, 4)];
    return {testing::bytes_type(bytes), {{{0, bytes}}, {}, {}, bytes}};
}

Both make_vector(Random& random, int depth) {
    const Both child = make(random, depth - 1);
    const std::int64_t count = pick(random, 0, 5);
    const std::int64_t length = pick(random, 0, 3);
    const std::int64_t stride =
        pick(random, 0, 2) == 0 ? length * child.reference.extent() : pick(random, -60, 90);
    Both both{TypeMap::vector(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(length), stride,
                              child.map),
              {}};
    for (std::int64_t i = 0; i < count; ++i) both.reference.place(child.reference, i * stride, length);
    return both;
}

Both make_indexed(Random& random, int depth) {
    const Both child = make(random, depth - 1);
    const std::int64_t regular = pick(random, 0, 60);
    const bool is_regular = pick(random, 0, 1) == 0;
    std::vector<std::uint64_t> lengths;
    std::vector<std::int64_t> displacements;
    Both both;
    for (std::int64_t i = pick(random, 0, 5); i > 0; --i) {
        lengths.push_back(static_cast<std::uint64_t>(is_regular ? 1 : pick(random, 0, 3)));
        displacements.push_back(is_regular ? i * regular : pick(random, -90, 90));
        both.reference.place(child.reference, displacements.back(),
                             static_cast<std::int64_t>(lengths.back()));
    }
    both.map = testing::indexed(lengths, displacements, child.map);
    return both;
}

Both make_structure(Random& random, int depth) {
    std::vector<TypeMapPtr> types;
    std::vector<std::int64_t> displacements;
    Both both;
    for (std::int64_t i = pick(random, 0, 4); i > 0; --i) {
        const Both part = make(random, depth - 1);
        types.push_back(part.map);
        displacements.push_back(pick(random, 0, 1) == 0 ? both.reference.upper() - part.reference.true_lower()
                                                        : pick(random, -70, 120));
        both.reference.place(part.reference, displacements.back());
    }
    both.map = testing::structure(displacements, types);
    return both;
}

Both make_resized(Random& random, int depth) {
    Both both = make(random, depth - 1);
    const std::int64_t lower = pick(random, -20, 20);
    const std::int64_t extent = pick(random, -10, 120);
    both.map = TypeMap::resized(lower, extent, both.map);
    both.reference.lower_marker = lower;
    both.reference.upper_marker = lower + extent;
    return both;
}

/// Rows first: index (i, j) lies at i * columns + j.
Both make_subarray(Random& random, int depth) {
    const Both child = make(random, depth - 1);
    Section rows{pick(random, 1, 4), 0, 0};
    Section columns{pick(random, 1, 5), 0, 0};
    for (Section* section : {&rows, &columns}) {
        section->length = pick(random, 1, section->whole);
        section->start = pick(random, 0, section->whole - section->length);
    }
    const bool c = pick(random, 0, 1) == 0;
    const std::vector<Section> sections = c ? std::vector{rows, columns} : std::vector{columns, rows};
    Both both{subarray(sections, c ? Order::c : Order::fortran, child.map), {}};
    const std::int64_t extent = child.reference.extent();
    for (std::int64_t i = rows.start; i < rows.start + rows.length; ++i)
        for (std::int64_t j = columns.start; j < columns.start + columns.length; ++j)
            both.reference.place(child.reference, (i * columns.whole + j) * extent);
    both.reference.lower_marker = 0;
    both.reference.upper_marker = rows.whole * columns.whole * extent;
    return both;
}

Both make_distributed(Random& random, int depth) {
    const Both child = make(random, depth - 1);
    const Distribution rows{pick(random, 1, 6), pick(random, 1, 3), 2, pick(random, 0, 1)};
    const Distribution columns{pick(random, 1, 6), pick(random, 1, 4), 3, pick(random, 0, 2)};
    const std::vector<Distribution> dimensions = {rows, columns};
    Both both{distributed_array(dimensions, Order::c, child.map), {}};
    const std::int64_t extent = child.reference.extent();
    for (std::int64_t i = 0; i < rows.whole; ++i)
        for (std::int64_t j = 0; j < columns.whole; ++j)
            if (i / rows.run % rows.ranks == rows.rank && j / columns.run % columns.ranks == columns.rank)
                both.reference.place(child.reference, (i * columns.whole + j) * extent);
    both.reference.lower_marker = 0;
    both.reference.upper_marker = rows.whole * columns.whole * extent;
    return both;
}

/// What no test needs larger.
bool too_large(const Reference& type) {
    constexpr std::int64_t most = 20000;
    return type.entries.size() > 300 || std::abs(type.extent()) > most ||
           std::abs(type.true_lower()) > most || std::abs(type.true_upper()) > most;
}

Both make(Random& random, int depth) {
    using Maker = Both (*)(Random&, int);
    constexpr Maker makers[] = {
        make_vector,   make_indexed,     make_structure, make_resized,
        make_subarray, make_distributed, make_vector,    [](Random& r, int) { return make_basic(r); }};
    if (depth == 0) return make_basic(random);
    Both both = makers[pick(random, 0, 7)](random, depth);
    return too_large(both.reference) ? make_basic(random) : both;
}

/// Memory around a buffer address, large enough for `count` elements.
class Arena {
  public:
    Arena(const Reference& type, std::int64_t count) {
        const std::int64_t last = (count - 1) * type.extent();
        const std::int64_t low = std::min<std::int64_t>({0, type.true_lower(), type.true_lower() + last});
        const std::int64_t high = std::max<std::int64_t>({0, type.true_upper(), type.true_upper() + last});
        bytes.resize(static_cast<std::size_t>(high - low));
        offset_ = -low;
    }
    std::byte* base() { return bytes.data() + offset_; }
    std::vector<std::byte> bytes;

  private:
    std::int64_t offset_ = 0;
};

void fill(std::vector<std::byte>& bytes, Random& random) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
}

/// Calls `copy(memory, packed, bytes)` for each basic element of the message.
template <class Copy>
void walk(const Reference& type, std::int64_t count, std::byte* base, std::byte* packed, Copy copy) {
    const std::int64_t extent = type.extent();
    for (std::int64_t i = 0; i < count; ++i)
        for (const Reference::Entry& entry : type.entries) {
            copy(base + i * extent + entry.displacement, packed, entry.bytes);
            packed += entry.bytes;
        }
}

bool overlaps(const Reference& type, std::int64_t count) {
    std::set<std::int64_t> seen;
    const std::int64_t extent = type.extent();
    for (std::int64_t i = 0; i < count; ++i)
        for (const Reference::Entry& entry : type.entries)
            for (std::uint32_t byte = 0; byte < entry.bytes; ++byte)
                if (!seen.insert(i * extent + entry.displacement + byte).second) return true;
    return false;
}

/// Cuts 0 to `total` into random windows.
std::vector<std::pair<std::uint64_t, std::uint64_t>> windows(std::uint64_t total, Random& random) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> cut;
    const std::int64_t longest = pick(random, 1, 100);
    for (std::uint64_t from = 0; from < total;) {
        const std::uint64_t to = std::min(total, from + static_cast<std::uint64_t>(pick(random, 1, longest)));
        cut.emplace_back(from, to);
        from = to;
    }
    return cut;
}

void check_facts(const Both& both) {
    ASSERT_EQ(both.map->size(), both.reference.size());
    ASSERT_EQ(both.map->elements(), both.reference.entries.size());
    ASSERT_EQ(both.map->lower_bound(), both.reference.lower());
    ASSERT_EQ(both.map->extent(), both.reference.extent());
    ASSERT_EQ(both.map->true_lower_bound(), both.reference.true_lower());
    ASSERT_EQ(both.map->true_extent(), both.reference.true_upper() - both.reference.true_lower());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < both.reference.entries.size(); ++i) {
        ASSERT_EQ(bytes_of_elements(*both.map, i), bytes);
        ASSERT_EQ(count_elements(*both.map, bytes).elements, i);
        ASSERT_EQ(count_elements(*both.map, bytes).rest, 0U);
        if (both.reference.entries[i].bytes > 1) {
            ASSERT_EQ(count_elements(*both.map, bytes + 1).elements, i);
            ASSERT_EQ(count_elements(*both.map, bytes + 1).rest, 1U);
        }
        bytes += both.reference.entries[i].bytes;
    }
}

void check_copies(const Both& both, std::int64_t count, Random& random) {
    const LayoutRef layout = Layout::make(*both.map);
    const std::uint64_t total = both.reference.size() * static_cast<std::uint64_t>(count);
    Arena memory(both.reference, count);
    fill(memory.bytes, random);
    std::vector<std::byte> expected(total);
    walk(both.reference, count, memory.base(), expected.data(),
         [](std::byte* place, std::byte* packed, std::size_t bytes) { std::memcpy(packed, place, bytes); });

    std::vector<std::byte> packed(total);
    layout->pack(memory.base(), 0, packed.data(), total);
    ASSERT_EQ(packed, expected);
    std::fill(packed.begin(), packed.end(), std::byte{0});
    auto cut = windows(total, random);
    std::shuffle(cut.begin(), cut.end(), random);
    for (const auto& [from, to] : cut) layout->pack(memory.base(), from, packed.data() + from, to - from);
    ASSERT_EQ(packed, expected);

    fill(packed, random);
    Arena by_reference(both.reference, count);
    fill(by_reference.bytes, random);
    Arena by_layout = by_reference;
    walk(both.reference, count, by_reference.base(), packed.data(),
         [](std::byte* place, std::byte* from, std::size_t bytes) { std::memcpy(place, from, bytes); });
    // Where elements overlap, the last one stays; only then does the order of the windows matter.
    if (overlaps(both.reference, count)) std::sort(cut.begin(), cut.end());
    for (const auto& [from, to] : cut)
        layout->unpack(by_layout.base(), from, packed.data() + from, to - from);
    ASSERT_EQ(by_layout.bytes, by_reference.bytes);
}

void check_seed(std::uint64_t seed) {
    SCOPED_TRACE("RB2_DATATYPE_SEED=" + std::to_string(seed));
    Random random(seed);
    const Both both = make(random, static_cast<int>(pick(random, 1, 4)));
    check_facts(both);
    check_copies(both, pick(random, 1, 4), random);
}

TEST(RandomTypes, PackAndUnpackLikeTheirTypeMap) {
    if (const char* seed = std::getenv("RB2_DATATYPE_SEED")) {
        check_seed(std::strtoull(seed, nullptr, 10));
        return;
    }
    for (std::uint64_t seed = 1; seed <= 6000 && !HasFatalFailure(); ++seed) check_seed(seed);
}

}  // namespace
}  // namespace rb2::datatype
