#pragma once
// Which way an offered long message takes: read from the sender's memory (one copy by this core) or through
// the ring (two copies, both cores at once, over lines that must change hands).
//
// Neither wins everywhere. Where the two ranks share a cache the ring moves twice as much as a single copy;
// where lines travel between distant cores it moves a quarter. And it changes while a job runs: threads and
// virtual CPUs migrate. So the receiver measures both on its own messages, per size class, takes the cheaper
// one, and now and then tries the other, less often the longer the verdict stands. Idea: a two-armed bandit
// with decaying exploration; the quantity compared is the one of "The Hidden Cost of RDMA" section 4, cost
// against size.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace rb2::pt2pt {

enum class Path : std::uint8_t { ring = 0, pull = 1 };

/// Receiver side, one per peer. Deterministic: same reports, same choices.
class PathChoice {
  public:
    static constexpr std::uint16_t kShortest =
        16;  ///< choices between two trials of the other path, at first
    static constexpr std::uint16_t kLongest = 512;  ///< and once the verdict has stood for long

    /// The way for the next message of `bytes`.
    [[nodiscard]] Path choose(std::uint64_t bytes) noexcept {
        Class& c = classes_[index(bytes)];
        if (c.cost[at(Path::pull)] == 0) return Path::pull;
        if (c.cost[at(Path::ring)] == 0) return Path::ring;
        if (++c.since < c.interval) return c.better();
        c.since = 0;
        return c.better() == Path::ring ? Path::pull : Path::ring;
    }

    /// `path` took `nanoseconds` for a message of `bytes`.
    void report(Path path, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
        Class& c = classes_[index(bytes)];
        const bool compared = c.cost[0] != 0 && c.cost[1] != 0;  // there was a verdict to confirm
        const Path before = c.better();
        const float now = std::max(static_cast<float>(nanoseconds) / static_cast<float>(bytes), kLeast);
        float& cost = c.cost[at(path)];
        // Cold pages and interruptions only ever add time: a lower figure is taken at once, a higher one by a
        // share of at most twice the old.
        cost = cost == 0 || now < cost ? now : cost + (std::min(now, 2 * cost) - cost) * kWeight;
        if (!compared || path == before) return;
        c.interval = c.better() == before ? std::min<std::uint16_t>(2 * c.interval, kLongest) : kShortest;
    }

  private:
    static constexpr float kWeight = 0.25F;
    static constexpr float kLeast = 1e-6F;     ///< 0 means "never measured"
    static constexpr unsigned kSmallest = 13;  ///< log2 of the first class: below 16 KiB
    static constexpr unsigned kClasses = 10;   ///< the last one: 4 MiB and more

    struct Class {
        std::array<float, 2> cost{};  ///< ns per byte, by Path
        std::uint16_t since = 0;
        std::uint16_t interval = kShortest;
        [[nodiscard]] Path better() const noexcept { return cost[0] <= cost[1] ? Path::ring : Path::pull; }
    };

    static constexpr std::size_t at(Path path) noexcept { return static_cast<std::size_t>(path); }
    static constexpr unsigned index(std::uint64_t bytes) noexcept {
        const auto log = static_cast<unsigned>(std::bit_width(bytes | 1U)) - 1;
        return std::clamp(log, kSmallest, kSmallest + kClasses - 1) - kSmallest;
    }

    std::array<Class, kClasses> classes_{};
};

}  // namespace rb2::pt2pt
