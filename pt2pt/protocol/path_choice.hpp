#pragma once
// Which way an offered long message takes: read from the sender's memory (one
// copy by this core), the same with the sender writing the second half
// meanwhile (one copy by both cores), or through the ring (two copies, both
// cores at once, over lines that must change hands).
//
// None wins everywhere. Where the two ranks share a cache the ring moves twice
// as much as a single copy; where lines travel between distant cores it moves a
// quarter. Halves double what a copy moves, if the sender waits for the message
// to be taken, and cost a system call more if it does not. And it changes while
// a job runs: threads and virtual CPUs migrate. So the receiver measures all on
// its own messages, per size class, takes the cheapest, and now and then tries
// another, less often the longer the verdict stands. A trial is several
// messages, of which the first does not count: it pays for what the other path
// left in the caches. What counts is the mean: messages that queue in the ring
// take turns at being late and being there already, and the fastest of them
// tell nothing. Idea: a bandit with several arms and decaying exploration; the
// quantity compared is the one of "The Hidden Cost of RDMA" section 4, cost
// against size.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace rb2::pt2pt {

enum class Path : std::uint8_t { ring = 0, pull = 1, halves = 2 };

/// Receiver side, one per peer. Deterministic: same reports, same choices.
class PathChoice {
  public:
    static constexpr std::uint16_t kShortest = 16;   ///< choices between two trials of another path, at first
    static constexpr std::uint16_t kLongest = 1024;  ///< and once the verdict has stood for long
    static constexpr std::uint8_t kTrial = 8;        ///< messages of a trial
    static constexpr std::uint64_t kHalvesFrom =
        64U << 10;  ///< below, a second system call costs more than it saves

    /// The way for the next message of `bytes`.
    [[nodiscard]] Path choose(std::uint64_t bytes) noexcept {
        const Path path = next(classes_[index(bytes)], bytes < kHalvesFrom ? 2 : kPaths);
        in_ring_ += path == Path::ring ? 1 : 0;
        return path;
    }

    /// `path` took `nanoseconds` for a message of `bytes`.
    void report(Path path, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
        if (path == Path::ring)
            --in_ring_;
        else if (in_ring_ != 0)
            return;  // the sender was busy with those, and so were the caches
        Class& c = classes_[index(bytes)];
        const Path before = c.best();
        const float now = std::max(static_cast<float>(nanoseconds) / static_cast<float>(bytes), kLeast);
        if (at(path) == c.tried && c.tries < kTrial)
            c.tell_trial(now);
        else
            c.tell(at(path), now);
        if (c.best() != before) c.interval = kShortest;
    }

  private:
    static constexpr float kWeight = 0.125F;
    static constexpr float kOutlier = 4;  ///< times the mean: as much as an interruption may count
    static constexpr float kFarWorse = 1.5F;
    static constexpr float kHopeless = 3;   ///< times the best: a trial whose mean will be worse ends early
    static constexpr float kLeast = 1e-6F;  ///< 0 means "never measured"
    static constexpr unsigned kSmallest = 13;  ///< log2 of the first class: below 16 KiB
    static constexpr unsigned kClasses = 10;   ///< the last one: 4 MiB and more

    static constexpr std::size_t kPaths = 3;

    struct Class {
        std::array<float, kPaths> cost{};  ///< ns per byte, by Path; 0: not measured
        float sum = 0;                     ///< of the last trial, but for its first message
        std::uint16_t since = 0;           ///< choices since the last trial
        std::uint16_t interval = kShortest;
        std::uint8_t tried = 0;       ///< the path of the last trial
        std::uint8_t tries = kTrial;  ///< its messages so far
        std::uint8_t left = 0;        ///< those still to be chosen

        [[nodiscard]] Path best() const noexcept {
            const auto cheaper = [](float a, float b) { return a != 0 && (b == 0 || a < b); };
            return static_cast<Path>(std::min_element(cost.begin(), cost.end(), cheaper) - cost.begin());
        }
        Path begin_trial(std::size_t path) noexcept {
            since = 0;
            sum = 0;
            tried = static_cast<std::uint8_t>(path);
            tries = 0;
            left = kTrial - 1;
            return static_cast<Path>(tried);
        }
        void tell_trial(float now) noexcept {
            ++tries;
            if (tries == 1) {
                if (cost[tried] == 0) cost[tried] = now;
                return;
            }
            sum += now;
            const bool hopeless = sum > kHopeless * (kTrial - 1) * cost[at(best())];
            if (tries != kTrial && !hopeless) return;
            cost[tried] = sum / static_cast<float>(tries - 1);
            tries = kTrial;
            left = 0;
        }
        void tell(std::size_t path, float now) noexcept {
            float& mean = cost[path];
            mean = mean == 0 ? now : mean + (std::min(now, kOutlier * mean) - mean) * kWeight;
        }
        /// The verdict has stood since the last trial. The worse the path tried
        /// there was, the longer the next may wait.
        void lengthen_interval() noexcept {
            const int longer = cost[tried] > kFarWorse * cost[at(best())] ? 4 : 2;
            interval = static_cast<std::uint16_t>(std::min<int>(longer * interval, kLongest));
        }
    };

    static Path next(Class& c, std::size_t paths) noexcept {
        if (c.left != 0) {
            --c.left;
            return static_cast<Path>(c.tried);
        }
        for (const Path path : {Path::pull, Path::ring, Path::halves}) {
            if (at(path) < paths && c.cost[at(path)] == 0) return c.begin_trial(at(path));
        }
        if (++c.since < c.interval) return c.best();
        c.lengthen_interval();
        // Each of the others in turn.
        std::size_t other = (c.tried + 1) % paths;
        if (other == at(c.best())) other = (other + 1) % paths;
        return c.begin_trial(other);
    }

    static constexpr std::size_t at(Path path) noexcept { return static_cast<std::size_t>(path); }
    static constexpr unsigned index(std::uint64_t bytes) noexcept {
        const auto log = static_cast<unsigned>(std::bit_width(bytes | 1U)) - 1;
        return std::clamp(log, kSmallest, kSmallest + kClasses - 1) - kSmallest;
    }

    std::array<Class, kClasses> classes_{};
    std::uint32_t in_ring_ = 0;  ///< messages that are on their way through the ring
};

}  // namespace rb2::pt2pt
