#pragma once
// Which way an offered long message takes: read from the sender's memory (one copy by this core), the same
// with the sender writing the second half meanwhile (one copy by both cores), or through the ring (two
// copies, both cores at once, over lines that must change hands).
//
// None wins everywhere. Where the two ranks share a cache the ring moves twice as much as a single copy;
// where lines travel between distant cores it moves a quarter. Halves double what a copy moves, if the sender
// waits for the message to be taken, and cost a system call more if it does not. And it changes while a job
// runs: threads and virtual CPUs migrate. So the receiver measures all on its own messages, per size class,
// takes the cheapest, and now and then tries another, less often the longer the verdict stands and the worse
// the other was.
//
// A trial is several messages. Of copies the first ones do not count, for they pay for what the path before
// left in the caches; nor do those made while messages come through the ring, for their sender is busy with
// those. A few messages in the ring beside copies look cheaper than they are, for part of them comes while
// the copies are paid for; where halves are the rival, a ring that looks cheaper is given a window of
// messages with no copies beside it, and that counts. What counts is the mean: messages that queue in the
// ring take turns at being late and being there already, and the fastest of them tell nothing
// (docs/experiments.md). Idea: a bandit with several arms and decaying exploration; the quantity compared is
// the one of "The Hidden Cost of RDMA" section 4, cost against size.

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
    static constexpr std::uint16_t kHopelessRest = 16384;  ///< the same of a path that is far behind
    static constexpr std::uint8_t kTrial = 8;              ///< messages of a trial
    static constexpr std::uint8_t kFirst = 2;    ///< of the first one: who sends few must not pay for more
    static constexpr std::uint8_t kCold = 4;     ///< copies of a trial that do not count
    static constexpr std::uint8_t kWindow = 64;  ///< messages of a trial of the ring with no copies beside it
    static constexpr std::uint64_t kHalvesFrom =
        64U << 10;  ///< below, a second system call costs more than it saves

    /// The way for the next message of `bytes`.
    [[nodiscard]] Path choose(std::uint64_t bytes) noexcept {
        Class& c = classes_[index(bytes)];
        c.has_halves = bytes >= kHalvesFrom;
        const auto path = static_cast<Path>(next(c));
        in_ring_ += path == Path::ring ? 1 : 0;
        return path;
    }

    /// A message of `bytes` took `path` from `start`, for the ring when it was asked for, to `end`, in ns. In
    /// the ring messages wait for each other, and for copies made meanwhile: the time of one begins when the
    /// message before it was complete, whichever way that took.
    void report(Path path, std::uint64_t bytes, std::uint64_t start, std::uint64_t end) noexcept {
        const std::uint64_t begin = path == Path::ring ? std::max(start, done_ns_) : start;
        done_ns_ = end;
        report(path, bytes, end - begin);
    }

    /// `path` took `nanoseconds` for a message of `bytes`.
    void report(Path path, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
        if (path == Path::ring)
            --in_ring_;
        else if (in_ring_ != 0)
            return;  // the sender was busy with those, and so were the caches
        Class& c = classes_[index(bytes)];
        const float now = std::max(static_cast<float>(nanoseconds) / static_cast<float>(bytes), kLeast);
        if (at(path) == c.tried && c.tries < c.length)
            c.tell_trial(now);
        else if (at(path) == c.verdict)
            c.tell_verdict(now);
        c.judge();
    }

  private:
    static constexpr std::size_t kPaths = 3;
    static constexpr std::uint8_t kNew = 16;      ///< messages that the cost of a new verdict stands for
    static constexpr std::uint8_t kMemory = 128;  ///< and that of an old one: more than a window of messages
    static constexpr float kOutlier = 4;          ///< times the mean: as much as an interruption may count
    static constexpr float kClearly = 0.9F;       ///< of the verdict's cost: below, it is another one's
    static constexpr float kFarWorse = 1.5F;
    static constexpr float kHopeless = 3;   ///< times the best: a trial whose mean will be worse ends early
    static constexpr float kLeast = 1e-6F;  ///< 0 means "never measured"
    static constexpr unsigned kSmallest = 13;  ///< log2 of the first class: below 16 KiB
    static constexpr unsigned kClasses = 10;   ///< the last one: 4 MiB and more

    static constexpr std::size_t at(Path path) noexcept { return static_cast<std::size_t>(path); }

    /// A path for messages of a class.
    struct Arm {
        float cost = 0;           ///< ns per byte, the mean; 0: not measured
        std::uint16_t since = 0;  ///< choices of others since it was chosen
        std::uint16_t interval = kShortest;

        /// Until its next trial.
        void rest(int choices, int most = kLongest) noexcept {
            since = 0;
            interval = static_cast<std::uint16_t>(std::min(choices, most));
        }
    };

    struct Class {
        std::array<Arm, kPaths> arms{};  ///< by Path
        float sum = 0;                   ///< costs of the last trial's messages
        float settled = 0;               ///< of those that count
        std::uint8_t verdict = 0;        ///< the path to take, by Path
        std::uint8_t tried = 0;          ///< the path of the last trial
        std::uint8_t length = 0;         ///< how many messages it is
        std::uint8_t tries = 0;          ///< those reported
        std::uint8_t left = 0;           ///< of the ring's trial, those still to be chosen
        std::uint8_t told = kNew;        ///< messages that the verdict's cost stands for
        bool has_halves = false;         ///< they are a rival

        /// The cheapest path is the verdict, if it is clearly cheaper than the present one.
        void judge() noexcept {
            const auto cheaper = [](const Arm& a, const Arm& b) {
                return a.cost != 0 && (b.cost == 0 || a.cost < b.cost);
            };
            const auto cheapest = std::min_element(arms.begin(), arms.end(), cheaper);
            Arm& present = arms[verdict];
            if (present.cost != 0 && cheapest->cost >= kClearly * present.cost) return;
            present.rest(kShortest);
            verdict = static_cast<std::uint8_t>(cheapest - arms.begin());
            told = kNew;
        }
        void tell_verdict(float now) noexcept {
            float& cost = arms[verdict].cost;
            if (told < kMemory) ++told;
            cost += (std::min(now, kOutlier * cost) - cost) / static_cast<float>(told);
        }
        void begin_trial(std::size_t path, std::uint8_t messages) noexcept {
            sum = 0;
            settled = 0;
            tried = static_cast<std::uint8_t>(path);
            length = messages;
            tries = 0;
            arms[path].since = 0;
            left = path == at(Path::ring) ? messages : 0;
        }
        void tell_trial(float now) noexcept {
            Arm& arm = arms[tried];
            if (++tries == 1 && arm.cost == 0) arm.cost = now;
            // Those that come through the ring queue there, and the first one waits for all.
            const int cold = tried == at(Path::ring) ? 0 : std::min<int>(kCold, length - 1);
            sum += now;
            if (tries > cold) settled += now;
            if (tries == length)
                end_trial(settled / static_cast<float>(length - cold));
            else if (tries != 1 &&
                     sum > kHopeless * static_cast<float>(std::max(kTrial, tries)) * arms[verdict].cost)
                end_trial(sum / static_cast<float>(tries));
        }
        void end_trial(float mean) noexcept {
            Arm& arm = arms[tried];
            // Beside copies the ring looks cheaper than it is.
            if (tried == at(Path::ring) && has_halves && length == kTrial && mean < arms[verdict].cost) {
                begin_trial(tried, kWindow);
                return;
            }
            arm.cost = mean;
            tries = length;
            left = 0;
            // The worse it was, the longer it rests; and the longer its trial was.
            const float ratio = arm.cost / arms[verdict].cost;
            if (ratio > kHopeless || length == kWindow)
                arm.rest(16 * arm.interval, kHopelessRest);
            else
                arm.rest(arm.interval * (ratio > kFarWorse ? 4 : 2));
        }
    };

    std::size_t next(Class& c) const noexcept {
        const std::size_t paths = c.has_halves ? kPaths : kPaths - 1;
        // Copies are reported at once, messages through the ring later: those are counted as they are chosen.
        if (c.tries < c.length && c.tried != at(Path::ring)) return c.tried;
        if (c.left != 0) {
            --c.left;
            return c.tried;
        }
        // The answers to messages that come in one round leave at its end, behind all copies of the round:
        // the ring is measured without copies. Where halves are the rival it may be very slow, and has to
        // look cheaper first: end_trial().
        if (!c.has_halves && c.tried == at(Path::ring) && c.tries == 0 && in_ring_ != 0) return c.tried;
        for (const Path path : {Path::pull, Path::ring, Path::halves}) {
            if (at(path) >= paths || c.arms[at(path)].cost != 0) continue;
            // Its first trial is on its way: no more before that has told how bad it may be.
            if (path == Path::ring && in_ring_ >= kFirst) return c.verdict;
            return take_first(c, at(path), kFirst);
        }
        std::size_t due = c.verdict;
        for (std::size_t path = 0; path < paths; ++path)
            if (path != c.verdict && ++c.arms[path].since >= c.arms[path].interval) due = path;
        return due == c.verdict ? due : take_first(c, due, kTrial);
    }

    /// Begins a trial; its first message is chosen.
    static std::size_t take_first(Class& c, std::size_t path, std::uint8_t messages) noexcept {
        c.begin_trial(path, messages);
        if (path == at(Path::ring)) --c.left;
        return path;
    }

    static constexpr unsigned index(std::uint64_t bytes) noexcept {
        const auto log = static_cast<unsigned>(std::bit_width(bytes | 1U)) - 1;
        return std::clamp(log, kSmallest, kSmallest + kClasses - 1) - kSmallest;
    }

    std::array<Class, kClasses> classes_{};
    std::uint32_t in_ring_ = 0;  ///< messages that are on their way through the ring
    std::uint64_t done_ns_ = 0;  ///< when the last message was complete
};

}  // namespace rb2::pt2pt
