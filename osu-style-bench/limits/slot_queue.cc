#include <array>
#include <cstdint>
#include <stdexcept>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "osu-style-bench/limits/repeat.hpp"

namespace rb2::bench::limits {
namespace {

constexpr std::uint64_t kSlots = 1024;
constexpr std::uint64_t kMoved = 2'000'000;
constexpr std::uint64_t kCreditEvery = kSlots / 4;

/// Full when its sequence number is that of the awaited position; number and payload share one line.
struct alignas(kLine) Slot {
    std::atomic<std::uint64_t> sequence;
    std::array<std::uint64_t, 7> payload;
};

struct Queue {
    std::array<Slot, kSlots> slots;
    alignas(kLine) std::atomic<std::uint64_t> consumed;
    Gate gate;
};

void produce(Queue& queue, const Spin& spin) {
    std::uint64_t room_until = kSlots;
    for (std::uint64_t position = 0; position < kMoved; ++position) {
        spin.until([&] {
            if (position < room_until) {
                return true;
            }
            room_until = queue.consumed.load(std::memory_order_acquire) + kSlots;
            return position < room_until;
        });
        Slot& slot = queue.slots[position % kSlots];
        slot.payload[0] = position;
        slot.sequence.store(position + 1, std::memory_order_release);
    }
}

/// Returns the sum of the payloads: it proves that every slot came once, and keeps the reads alive.
std::uint64_t consume(Queue& queue, const Spin& spin) {
    std::uint64_t sum = 0;
    for (std::uint64_t position = 0; position < kMoved; ++position) {
        const Slot& slot = queue.slots[position % kSlots];
        spin.until([&] { return slot.sequence.load(std::memory_order_acquire) == position + 1; });
        sum += slot.payload[0];
        if ((position + 1) % kCreditEvery == 0) {
            queue.consumed.store(position + 1, std::memory_order_release);
        }
    }
    return sum;
}

double stream(const Processors& processors) {
    const Shared<Queue> queue;
    const Spin spin(processors);
    double seconds = 0;
    std::uint64_t sum = 0;
    const auto consumer = [&] {
        queue->gate.meet(spin);
        const Stopwatch watch;
        sum = consume(*queue, spin);
        seconds = watch.elapsed_seconds();
    };
    run_pinned_pair(processors, consumer, [&] {
        queue->gate.meet(spin);
        produce(*queue, spin);
    });
    if (sum != kMoved * (kMoved - 1) / 2) {
        throw std::runtime_error("the slot queue lost or repeated a slot");
    }
    return static_cast<double>(kMoved) / seconds;
}

}  // namespace

double slots_per_second(const Processors& processors, int repetitions) {
    return median_of(repetitions, [&] { return stream(processors); });
}

}  // namespace rb2::bench::limits
