// Every collective as a schedule, for many numbers of ranks: the schedules of all ranks are executed against
// each other in memory, and the results compared with what a loop over the ranks gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace {

using namespace rb2::collective;
using Data = std::vector<std::uint64_t>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The schedules of all ranks, executed in turns. Messages are copied when they are sent.
class Machine {
  public:
    Machine(int size, bool crowded) {
        for (int rank = 0; rank < size; ++rank)
            schedules_.push_back(std::make_unique<Schedule>(rank, size, crowded));
        next_.assign(index(size), 0);
        waiting_.resize(index(size));
    }

    [[nodiscard]] Schedule& operator[](int rank) { return *schedules_[index(rank)]; }
    [[nodiscard]] int size() const { return static_cast<int>(schedules_.size()); }

    /// True when every rank got to its end and every message was received.
    bool run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < size(); ++rank) moved |= advance(rank);
        }
        for (int rank = 0; rank < size(); ++rank)
            if (next_[index(rank)] != schedules_[index(rank)]->steps().size() ||
                !waiting_[index(rank)].empty())
                return false;
        return std::all_of(messages_.begin(), messages_.end(),
                           [](const auto& queue) { return queue.second.empty(); });
    }

  private:
    using Message = std::vector<std::byte>;

    bool advance(int rank) {
        const auto steps = schedules_[index(rank)]->steps();
        std::size_t& next = next_[index(rank)];
        bool moved = take_messages(rank);
        for (; next < steps.size(); ++next, moved = true) {
            if (steps[next].kind == Step::Kind::wait && !waiting_[index(rank)].empty()) break;
            perform(rank, steps[next]);
        }
        return moved;
    }

    /// In the order of the receives of each source, as the engine matches.
    bool take_messages(int rank) {
        std::vector<Step>& waiting = waiting_[index(rank)];
        std::map<int, bool> blocked;
        const auto taken = [&](const Step& step) {
            std::deque<Message>& queue = messages_[{step.peer, rank}];
            if (blocked[step.peer] || queue.empty()) return !(blocked[step.peer] = true);
            EXPECT_EQ(queue.front().size(), step.bytes);
            std::copy(queue.front().begin(), queue.front().end(), step.to);
            queue.pop_front();
            return true;
        };
        return std::erase_if(waiting, taken) != 0;
    }

    void perform(int rank, const Step& step) {
        switch (step.kind) {
            case Step::Kind::send:
                messages_[{rank, step.peer}].emplace_back(step.from, step.from + step.bytes);
                break;
            case Step::Kind::receive:
                waiting_[index(rank)].push_back(step);
                break;
            case Step::Kind::copy:
                std::memmove(step.to, step.from, step.bytes);
                break;
            case Step::Kind::combine:
                combine(schedules_[index(rank)]->reduction(), {step.from, step.bytes}, {step.to, step.bytes});
                break;
            case Step::Kind::call:
                step.function(step.argument);
                break;
            case Step::Kind::wait:
                break;
        }
    }

    std::vector<std::unique_ptr<Schedule>> schedules_;
    std::vector<std::size_t> next_;
    std::vector<std::vector<Step>> waiting_;
    std::map<std::pair<int, int>, std::deque<Message>> messages_;
};

/// Composition of x -> a x + b, as two halves of a word: associative, but not commutative.
struct Compose {
    std::uint64_t operator()(std::uint64_t first, std::uint64_t second) const {
        const auto a1 = static_cast<std::uint32_t>(first >> 32);
        const auto b1 = static_cast<std::uint32_t>(first);
        const auto a2 = static_cast<std::uint32_t>(second >> 32);
        const auto b2 = static_cast<std::uint32_t>(second);
        return std::uint64_t{a1 * a2} << 32 | static_cast<std::uint32_t>(a2 * b1 + b2);
    }
};
const Reduction kCompose = reduction<std::uint64_t, Compose>(/*commutative=*/false);
const Reduction kSum = reduction<std::uint64_t, std::plus<>>();

Data values(int rank, std::size_t count) {
    Data data(count);
    for (std::size_t i = 0; i < count; ++i)
        data[i] = (index(rank) + 1) * 0x9e3779b97f4a7c15ULL + i * 0xbf58476d1ce4e5b9ULL;
    return data;
}
std::vector<Data> all_values(int size, std::size_t count) {
    std::vector<Data> all;
    for (int rank = 0; rank < size; ++rank) all.push_back(values(rank, count));
    return all;
}

/// values() of ranks first to end - 1, combined in order.
Data combined(int first, int end, std::size_t count, bool ordered) {
    Data result = values(first, count);
    for (int rank = first + 1; rank < end; ++rank) {
        const Data next = values(rank, count);
        for (std::size_t i = 0; i < count; ++i)
            result[i] = ordered ? Compose{}(result[i], next[i]) : result[i] + next[i];
    }
    return result;
}

MutableBytes bytes(Data& data) { return std::as_writable_bytes(std::span(data)); }
Bytes const_bytes(const Data& data) { return std::as_bytes(std::span(data)); }

constexpr std::size_t kShort = 3;
constexpr std::size_t kLong = 4099;        // past the size where allreduce changes its algorithm
constexpr std::size_t kVeryLong = 33'001;  // past that of reduce

/// Number of ranks, and whether they share CPUs.
class ScheduleTest : public testing::TestWithParam<std::tuple<int, bool>> {
  protected:
    int size = std::get<0>(GetParam());
    bool crowded = std::get<1>(GetParam());
    Machine machine{size, crowded};
};

TEST_P(ScheduleTest, BarrierLetsNobodyGoBeforeAllCame) {
    for (int rank = 0; rank + 1 < size; ++rank) barrier(machine[rank]);  // the last one does not come
    if (size == 1) return;
    EXPECT_FALSE(machine.run());
    Machine complete(size, crowded);
    for (int rank = 0; rank < size; ++rank) barrier(complete[rank]);
    EXPECT_TRUE(complete.run());
}

TEST_P(ScheduleTest, Broadcast) {
    for (const std::size_t count : {std::size_t{0}, kShort, std::size_t{40'000}}) {
        for (const int root : {0, size / 2, size - 1}) {
            Machine here(size, crowded);
            std::vector<Data> data(index(size), Data(count));
            data[index(root)] = values(root, count);
            for (int rank = 0; rank < size; ++rank) broadcast(here[rank], bytes(data[index(rank)]), root);
            ASSERT_TRUE(here.run());
            for (const Data& each : data) ASSERT_EQ(each, values(root, count));
        }
    }
}

TEST_P(ScheduleTest, AllreduceOfBothKindsAndLengths) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kShort, kLong}) {
        for (const Reduction& operation : {kSum, kCompose}) {
            Machine here(size, crowded);
            std::vector<Data> data = all_values(size, count);
            for (int rank = 0; rank < size; ++rank)
                allreduce(here[rank], bytes(data[index(rank)]), operation);
            ASSERT_TRUE(here.run());
            const Data expected = combined(0, size, count, !operation.commutative);
            for (const Data& each : data) ASSERT_EQ(each, expected) << count;
        }
    }
}

TEST_P(ScheduleTest, LongAllreduceSendsAtMostTwiceTheData) {
    Data data = values(0, kLong);
    allreduce(machine[0], bytes(data), kSum);
    std::size_t sent = 0;
    for (const Step& step : machine[0].steps())
        if (step.kind == Step::Kind::send) sent += step.bytes;
    EXPECT_LE(sent, 2 * kLong * sizeof(std::uint64_t));
}

TEST_P(ScheduleTest, ReduceInPlaceAndNot) {
    for (const std::size_t count : {kShort, kVeryLong}) {
        for (const Reduction& operation : {kSum, kCompose}) {
            for (const int root : {0, size - 1}) {
                Machine here(size, crowded);
                std::vector<Data> data = all_values(size, count);
                for (int rank = 0; rank < size; ++rank)
                    reduce(here[rank], const_bytes(data[index(rank)]),
                           rank == root ? bytes(data[index(rank)]) : MutableBytes(), operation, root);
                ASSERT_TRUE(here.run());
                for (int rank = 0; rank < size; ++rank)
                    ASSERT_EQ(data[index(rank)], rank == root
                                                     ? combined(0, size, count, !operation.commutative)
                                                     : values(rank, count));
            }
        }
    }
}

TEST_P(ScheduleTest, LongReduceSendsNoRankMoreThanTwiceTheData) {
    if (!std::has_single_bit(index(size))) return;  // the tree
    for (const int root : {0, size - 1}) {
        Machine here(size, crowded);
        std::vector<std::size_t> received(index(size));
        Data data = values(0, kVeryLong);
        for (int rank = 0; rank < size; ++rank) {
            reduce(here[rank], const_bytes(data), rank == root ? bytes(data) : MutableBytes(), kSum, root);
            for (const Step& step : here[rank].steps())
                if (step.kind == Step::Kind::send) received[index(step.peer)] += step.bytes;
        }
        for (const std::size_t bytes : received) EXPECT_LE(bytes, 2 * kVeryLong * sizeof(std::uint64_t));
    }
}

TEST_P(ScheduleTest, ReduceScatterOfUnevenBlocks) {
    for (const std::size_t scale : {std::size_t{1}, std::size_t{9'000}}) {
        for (const Reduction& operation : {kSum, kCompose}) {
            Machine here(size, crowded);
            std::vector<Block> blocks;
            std::size_t end = 0;
            for (int rank = 0; rank < size; ++rank) {
                blocks.push_back({end, index(rank % 3) * scale * sizeof(std::uint64_t)});
                end += blocks.back().bytes;
            }
            const std::size_t count = end / sizeof(std::uint64_t);
            std::vector<Data> data = all_values(size, count);
            std::vector<Data> results;
            for (int rank = 0; rank < size; ++rank) results.emplace_back(index(rank % 3) * scale);
            for (int rank = 0; rank < size; ++rank)
                reduce_scatter(here[rank], const_bytes(data[index(rank)]), blocks,
                               bytes(results[index(rank)]), operation);
            ASSERT_TRUE(here.run());
            const Data all = combined(0, size, count, !operation.commutative);
            for (int rank = 0; rank < size; ++rank) {
                const auto first = all.begin() + static_cast<long>(blocks[index(rank)].offset / 8);
                ASSERT_TRUE(std::equal(results[index(rank)].begin(), results[index(rank)].end(), first));
            }
        }
    }
}

TEST_P(ScheduleTest, Scans) {
    Machine exclusive(size, crowded);
    std::vector<Data> scanned = all_values(size, kShort);
    std::vector<Data> shifted = all_values(size, kShort);
    for (int rank = 0; rank < size; ++rank) {
        scan(machine[rank], bytes(scanned[index(rank)]), kCompose);
        exclusive_scan(exclusive[rank], const_bytes(shifted[index(rank)]), bytes(shifted[index(rank)]),
                       kCompose);
    }
    ASSERT_TRUE(machine.run());
    ASSERT_TRUE(exclusive.run());
    for (int rank = 0; rank < size; ++rank) {
        ASSERT_EQ(scanned[index(rank)], combined(0, rank + 1, kShort, true));
        ASSERT_EQ(shifted[index(rank)], rank == 0 ? values(0, kShort) : combined(0, rank, kShort, true));
    }
}

TEST_P(ScheduleTest, AllgatherOfShortAndLongBlocks) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{5'000}}) {
        Machine here(size, crowded);
        std::vector<Data> data(index(size), Data(index(size) * count));
        for (int rank = 0; rank < size; ++rank) {
            const Data own = values(rank, count);
            std::copy(own.begin(), own.end(),
                      data[index(rank)].begin() + static_cast<long>(index(rank) * count));
            allgather(here[rank], bytes(data[index(rank)]));
        }
        ASSERT_TRUE(here.run());
        Data expected;
        for (int rank = 0; rank < size; ++rank)
            for (const std::uint64_t value : values(rank, count)) expected.push_back(value);
        for (const Data& each : data) ASSERT_EQ(each, expected);
    }
}

TEST_P(ScheduleTest, AlltoallInPlaceAndNot) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{100}}) {
        Machine here(size, crowded);
        Machine in_place(size, crowded);
        std::vector<Data> out = all_values(size, index(size) * count);
        std::vector<Data> both = out;
        std::vector<Data> in(index(size), Data(index(size) * count));
        for (int rank = 0; rank < size; ++rank) {
            alltoall(here[rank], const_bytes(out[index(rank)]), bytes(in[index(rank)]));
            alltoall(in_place[rank], const_bytes(both[index(rank)]), bytes(both[index(rank)]));
        }
        ASSERT_TRUE(here.run());
        ASSERT_TRUE(in_place.run());
        for (int from = 0; from < size; ++from)
            for (int to = 0; to < size; ++to)
                for (std::size_t i = 0; i < count; ++i)
                    ASSERT_EQ(in[index(to)][index(from) * count + i],
                              out[index(from)][index(to) * count + i]);
        EXPECT_EQ(both, in);
    }
}

TEST_P(ScheduleTest, GatherAndScatter) {
    const std::vector<Block> blocks = equal_blocks(kShort * sizeof(std::uint64_t), size);
    for (const int root : {0, size - 1}) {
        Machine gathering(size, crowded);
        Machine scattering(size, crowded);
        Data all(index(size) * kShort);
        Data mine = values(root, kShort);
        std::vector<Data> given = all_values(size, kShort);
        std::vector<Data> back(index(size), Data(kShort));
        for (int rank = 0; rank < size; ++rank) {
            gather(gathering[rank], const_bytes(given[index(rank)]), bytes(all).data(), blocks, root);
            scatter(scattering[rank], const_bytes(all).data(), blocks, bytes(back[index(rank)]), root);
        }
        ASSERT_TRUE(gathering.run());
        ASSERT_TRUE(scattering.run());
        EXPECT_EQ(back, given);
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ScheduleTest,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 33),
                                          testing::Bool()));

/// Rounds in which a rank waits for others, and may lose its CPU meanwhile.
std::size_t waits(const Schedule& schedule) {
    std::size_t count = 0;
    bool receives = false;
    const auto end_round = [&] { count += std::exchange(receives, false) ? 1 : 0; };
    for (const Step& step : schedule.steps()) {
        if (step.kind == Step::Kind::receive) receives = true;
        if (step.kind == Step::Kind::wait) end_round();
    }
    end_round();
    return count;
}

TEST(CrowdedRanks, WaitOnceInABarrier) {
    for (int rank = 0; rank < 4; ++rank) {
        Schedule schedule(rank, 4, /*crowded=*/true);
        barrier(schedule);
        EXPECT_EQ(waits(schedule), 1U) << rank;
    }
}

TEST(CrowdedRanks, GetABroadcastFromTheRootItself) {
    Data data = values(0, 40'000);
    for (int rank = 1; rank < 4; ++rank) {
        Schedule schedule(rank, 4, /*crowded=*/true);
        broadcast(schedule, bytes(data), 0);
        for (const Step& step : schedule.steps())
            EXPECT_TRUE(step.kind == Step::Kind::wait || step.peer == 0);
        EXPECT_EQ(waits(schedule), 1U) << rank;
    }
}

TEST(CrowdedRanks, WaitOnceInAShortAllreduceAndTwiceInALongOne) {
    for (const std::size_t count : {kShort, kLong}) {
        Data data = values(0, count);
        Schedule schedule(0, 4, /*crowded=*/true);
        allreduce(schedule, bytes(data), kSum);
        EXPECT_EQ(waits(schedule), count == kShort ? 1U : 2U);
    }
}

TEST(Schedule, NotesRounds) {
    Schedule schedule(0, 2, /*crowded=*/false);
    Data data = values(0, 1);
    schedule.wait();  // nothing was begun
    schedule.send(const_bytes(data), 1);
    schedule.wait();
    schedule.wait();
    schedule.receive(bytes(data), 1);
    std::vector<Step::Kind> kinds;
    for (const Step& step : schedule.steps()) kinds.push_back(step.kind);
    EXPECT_EQ(kinds, (std::vector{Step::Kind::send, Step::Kind::wait, Step::Kind::receive}));
}

TEST(Scratch, GivesMemoryThatDoesNotOverlap) {
    Scratch scratch;
    std::vector<MutableBytes> taken;
    for (const std::size_t bytes : {0, 1, 100, 100, 100, 5000, 7}) taken.push_back(scratch.take(bytes));
    for (std::size_t i = 0; i < taken.size(); ++i)
        std::fill(taken[i].begin(), taken[i].end(), static_cast<std::byte>(i));
    for (std::size_t i = 0; i < taken.size(); ++i) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken[i].data()) % alignof(std::max_align_t), 0u);
        EXPECT_TRUE(
            std::ranges::all_of(taken[i], [&](std::byte at) { return at == static_cast<std::byte>(i); }));
    }
}

}  // namespace
