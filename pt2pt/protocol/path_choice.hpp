#pragma once
// Which way an offered long message takes: read from the sender's memory (one copy by this core), the same
// with the sender writing the second half meanwhile (one copy by both cores), or through the ring (two
// copies, both cores at once, over lines that must change hands).
//
// None wins everywhere. Where the two ranks share a cache the ring moves twice as much as a single copy;
// where lines travel between distant cores it moves a quarter. Halves double what a copy moves, if the sender
// waits for the message to be taken, and cost a system call more if it does not. And it changes while a job
// runs: threads and virtual CPUs migrate. So the receiver measures all on its own messages, per size class,
// takes the cheapest, and now and then tries another, less often the longer the verdict stands. Idea: a
// bandit with several arms and decaying exploration; the quantity compared is the one of "The Hidden Cost of
// RDMA" section 4, cost against size.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace rb2::pt2pt {

enum class Path : std::uint8_t { ring = 0, pull = 1, halves = 2 };

/// Receiver side, one per peer. Deterministic: same reports, same choices.
class PathChoice {
  public:
    static constexpr std::uint16_t kShortest = 16;  ///< choices between two trials of another path, at first
    static constexpr std::uint16_t kLongest = 512;  ///< and once the verdict has stood for long
    static constexpr std::uint64_t kHalvesFrom =
        64U << 10;  ///< below, a second system call costs more than it saves

    /// The way for the next message of `bytes`.
    [[nodiscard]] Path choose(std::uint64_t bytes) noexcept {
        Class& c = classes_[index(bytes)];
        const std::size_t paths = bytes < kHalvesFrom ? 2 : kPaths;
        for (const Path path : {Path::pull, Path::ring, Path::halves}) {
            if (at(path) < paths && c.cost[at(path)] == 0) return path;
        }
        if (++c.since < c.interval) return c.best();
        c.since = 0;
        // Each of the others in turn.
        c.tried = static_cast<std::uint8_t>((c.tried + 1) % paths);
        if (c.tried == at(c.best())) c.tried = static_cast<std::uint8_t>((c.tried + 1) % paths);
        return static_cast<Path>(c.tried);
    }

    /// `path` took `nanoseconds` for a message of `bytes`.
    void report(Path path, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
        Class& c = classes_[index(bytes)];
        const bool compared = c.compared();  // there was a verdict to confirm
        const Path before = c.best();
        const float now = std::max(static_cast<float>(nanoseconds) / static_cast<float>(bytes), kLeast);
        float& cost = c.cost[at(path)];
        // Cold pages and interruptions only ever add time: a lower figure is taken at once, a higher one by a
        // share of at most twice the old.
        cost = cost == 0 || now < cost ? now : cost + (std::min(now, 2 * cost) - cost) * kWeight;
        if (!compared || path == before) return;
        // The worse the other path was, the longer it may wait for its next trial.
        const int longer = cost > kFarWorse * c.cost[at(before)] ? 4 : 2;
        c.interval = c.best() == before
                         ? static_cast<std::uint16_t>(std::min<int>(longer * c.interval, kLongest))
                         : kShortest;
    }

  private:
    static constexpr float kWeight = 0.25F;
    static constexpr float kFarWorse = 1.5F;
    static constexpr float kLeast = 1e-6F;     ///< 0 means "never measured"
    static constexpr unsigned kSmallest = 13;  ///< log2 of the first class: below 16 KiB
    static constexpr unsigned kClasses = 10;   ///< the last one: 4 MiB and more

    static constexpr std::size_t kPaths = 3;

    struct Class {
        std::array<float, kPaths> cost{};  ///< ns per byte, by Path; 0: not measured
        std::uint16_t since = 0;
        std::uint16_t interval = kShortest;
        std::uint8_t tried = 0;  ///< the path of the last trial
        [[nodiscard]] Path best() const noexcept {
            const auto cheaper = [](float a, float b) { return a != 0 && (b == 0 || a < b); };
            return static_cast<Path>(std::min_element(cost.begin(), cost.end(), cheaper) - cost.begin());
        }
        [[nodiscard]] bool compared() const noexcept {
            return std::count(cost.begin(), cost.end(), 0.0F) <= 1;
        }
    };

    static constexpr std::size_t at(Path path) noexcept { return static_cast<std::size_t>(path); }
    static constexpr unsigned index(std::uint64_t bytes) noexcept {
        const auto log = static_cast<unsigned>(std::bit_width(bytes | 1U)) - 1;
        return std::clamp(log, kSmallest, kSmallest + kClasses - 1) - kSmallest;
    }

    std::array<Class, kClasses> classes_{};
};

}  // namespace rb2::pt2pt
