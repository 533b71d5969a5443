// From type map to loop program: adjacent blocks become one, regular blocks a strided step, repetitions of
// what continues itself a longer one.

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <unordered_map>

#include "datatype/checked.hpp"
#include "datatype/layout.hpp"

namespace rb2::datatype {

class Flattening {
  public:
    explicit Flattening(Layout& layout) : layout_(layout) {}

    void run(const TypeMap& map) {
        layout_.size_ = map.size();
        layout_.extent_ = map.extent();
        layout_.element_ = flatten(map);
        // As many elements as byte counts can tell: no message has more.
        const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) /
                                   std::max<std::uint64_t>(map.size(), 1);
        layout_.array_ = repeated(layout_.element_, most, map.extent());
        layout_.steps_.shrink_to_fit();
        layout_.blocks_.shrink_to_fit();
    }

  private:
    using Kind = Step::Kind;

    static Step block(std::int64_t displacement, std::uint64_t bytes) {
        Step step;
        step.kind = Kind::block;
        step.displacement = displacement;
        step.size = step.bytes = bytes;
        return step;
    }

    /// Shared parts are flattened once.
    Step flatten(const TypeMap& map) {
        if (map.size() == 0) return {};
        if (map.kind() == TypeMap::Kind::basic) return block(0, map.size());
        if (const auto known = known_.find(&map); known != known_.end()) return known->second;
        const Step step = map.kind() == TypeMap::Kind::repeat
                              ? repeated(flatten(map.child()), map.count(), map.stride())
                              : flatten_sequence(map);
        known_.emplace(&map, step);
        return step;
    }

    Step repeated(Step step, std::uint64_t count, std::int64_t stride) {
        if (count == 0 || step.kind == Kind::empty) return {};
        if (count == 1) return step;
        const std::uint64_t size = step.size * count;
        if (step.kind == Kind::block) {
            if (stride == static_cast<std::int64_t>(step.bytes)) return block(step.displacement, size);
            step.kind = Kind::strided;
            step.count = count;
            step.stride = stride;
        } else if (continues(step, stride)) {
            step.count *= count;
        } else {
            const std::uint32_t body = keep(step);
            step = {};
            step.kind = Kind::loop;
            step.first = body;
            step.count = count;
            step.stride = stride;
        }
        step.size = size;
        return step;
    }

    /// Whether a repetition at `stride` goes on where the step's own would have.
    static bool continues(const Step& step, std::int64_t stride) {
        std::int64_t span = 0;
        return (step.kind == Kind::strided || step.kind == Kind::loop) &&
               !__builtin_mul_overflow(static_cast<std::int64_t>(step.count), step.stride, &span) &&
               span == stride;
    }

    Step flatten_sequence(const TypeMap& map) {
        std::vector<Step> parts;
        bool only_blocks = true;
        for (const Piece& piece : map.pieces()) {
            Step step = repeated(flatten(*piece.map), piece.count, piece.map->extent());
            if (step.kind == Kind::empty) continue;
            step.displacement = checked_add<std::int64_t>(step.displacement, piece.displacement);
            if (!parts.empty() && adjacent(parts.back(), step)) {
                parts.back() = block(parts.back().displacement, parts.back().bytes + step.bytes);
                continue;
            }
            only_blocks &= step.kind == Kind::block;
            parts.push_back(step);
        }
        if (parts.empty()) return {};
        if (parts.size() == 1) return parts.front();
        if (!only_blocks) return sequence(std::move(parts), map.size());
        return regular(parts) ? strided(parts, map.size()) : block_table(parts, map.size());
    }

    static bool adjacent(const Step& left, const Step& right) {
        return left.kind == Kind::block && right.kind == Kind::block &&
               left.displacement + static_cast<std::int64_t>(left.bytes) == right.displacement;
    }

    /// Blocks of one length at one distance.
    static bool regular(std::span<const Step> parts) {
        const std::int64_t stride = parts[1].displacement - parts[0].displacement;
        for (std::size_t i = 1; i < parts.size(); ++i)
            if (parts[i].bytes != parts[0].bytes ||
                parts[i].displacement - parts[i - 1].displacement != stride)
                return false;
        return true;
    }

    static Step strided(std::span<const Step> parts, std::uint64_t size) {
        Step step = parts.front();
        step.kind = Kind::strided;
        step.count = parts.size();
        step.stride = parts[1].displacement - parts[0].displacement;
        step.size = size;
        return step;
    }

    Step block_table(std::span<const Step> parts, std::uint64_t size) {
        Step step;
        step.kind = Kind::blocks;
        step.first = index(layout_.blocks_.size());
        step.count = parts.size();
        step.size = size;
        std::uint64_t start = 0;
        for (const Step& part : parts) {
            layout_.blocks_.push_back({part.displacement, start});
            start += part.bytes;
        }
        layout_.blocks_.push_back({0, start});
        return step;
    }

    Step sequence(std::vector<Step> parts, std::uint64_t size) {
        Step step;
        step.kind = Kind::sequence;
        step.first = index(layout_.steps_.size());
        step.count = parts.size();
        step.size = size;
        std::uint64_t start = 0;
        for (Step& part : parts) {
            part.start = start;
            start += part.size;
            layout_.steps_.push_back(part);
        }
        return step;
    }

    std::uint32_t keep(const Step& step) {
        layout_.steps_.push_back(step);
        return index(layout_.steps_.size() - 1);
    }

    static std::uint32_t index(std::size_t at) {
        if (at > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        return static_cast<std::uint32_t>(at);
    }

    Layout& layout_;
    std::unordered_map<const TypeMap*, Step> known_;
};

LayoutRef Layout::make(const TypeMap& map) {
    std::unique_ptr<Layout> layout(new Layout);
    Flattening(*layout).run(map);
    return LayoutRef(layout.release());
}

}  // namespace rb2::datatype
