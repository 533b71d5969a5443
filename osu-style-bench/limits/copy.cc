#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "osu-style-bench/engine/page_buffer.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "osu-style-bench/limits/repeat.hpp"

namespace rb2::bench::limits {
namespace {

constexpr std::size_t kRingBytes = 256UL << 10;  // with the buffers, of what a core's second cache holds
/// A copy's start costs, and so does waiting for a chunk: which size is best depends on the machine's state.
constexpr std::array<std::size_t, 4> kChunkSizes{8UL << 10, 16UL << 10, 32UL << 10, 64UL << 10};
constexpr std::size_t kMostChunks = kRingBytes / kChunkSizes.front();
constexpr std::size_t kMostStreamed = 20000;
constexpr std::size_t kMostTrips = 1000;
constexpr std::size_t kMovedBytes = 256UL << 20;  // per repetition, so that every size takes a similar time

/// One direction: chunks of data, a flag line per chunk that holds position + 1 once the chunk is full, and
/// the reader's count of emptied chunks.
struct ChunkRing {
    struct alignas(kLine) Flag {
        std::atomic<std::uint64_t> full;
    };
    alignas(PageBuffer::kPageBytes) std::array<std::byte, kRingBytes> bytes;
    std::array<Flag, kMostChunks> flags;
    alignas(kLine) std::atomic<std::uint64_t> emptied;
};

struct Rings {
    ChunkRing there;
    ChunkRing back;
    Gate gate;
};

class Writer {
  public:
    Writer(ChunkRing& ring, std::size_t chunk, const Spin& spin)
        : ring_(ring), spin_(spin), chunk_(chunk), chunks_(kRingBytes / chunk) {}

    void write(std::span<const std::byte> message) {
        for (std::size_t done = 0; done < message.size(); done += chunk_) {
            await_room();
            const std::size_t length = std::min(chunk_, message.size() - done);
            const std::size_t place = position_ % chunks_;
            std::memcpy(ring_.bytes.data() + place * chunk_, message.data() + done, length);
            ring_.flags[place].full.store(position_ + 1, std::memory_order_release);
            ++position_;
        }
    }

  private:
    /// Looks at the reader's line only when the ring seems full.
    void await_room() {
        spin_.until([&] {
            if (position_ == room_until_) {
                room_until_ = ring_.emptied.load(std::memory_order_acquire) + chunks_;
            }
            return position_ < room_until_;
        });
    }

    ChunkRing& ring_;
    Spin spin_;
    std::size_t chunk_;
    std::size_t chunks_;
    std::uint64_t position_ = 0;
    std::uint64_t room_until_ = chunks_;
};

class Reader {
  public:
    Reader(ChunkRing& ring, std::size_t chunk, const Spin& spin)
        : ring_(ring), spin_(spin), chunk_(chunk), chunks_(kRingBytes / chunk) {}

    void read(std::span<std::byte> message) {
        for (std::size_t done = 0; done < message.size(); done += chunk_) {
            const std::size_t place = position_ % chunks_;
            const auto& flag = ring_.flags[place].full;
            spin_.until([&] { return flag.load(std::memory_order_acquire) == position_ + 1; });
            const std::size_t length = std::min(chunk_, message.size() - done);
            std::memcpy(message.data() + done, ring_.bytes.data() + place * chunk_, length);
            if (++position_ % (chunks_ / 4) == 0) {
                ring_.emptied.store(position_, std::memory_order_release);
            }
        }
    }

  private:
    ChunkRing& ring_;
    Spin spin_;
    std::size_t chunk_;
    std::size_t chunks_;
    std::uint64_t position_ = 0;
};

std::size_t messages_of(std::size_t bytes, std::size_t most) {
    return std::clamp<std::size_t>(kMovedBytes / bytes, 10, most);
}

/// Seconds the reading side needs per message when the writer never pauses.
double streamed_seconds(const Processors& processors, std::size_t bytes, std::size_t chunk) {
    const Shared<Rings> rings;
    const Spin spin(processors);
    const std::size_t messages = messages_of(bytes, kMostStreamed);
    double seconds = 0;
    const auto reading = [&] {
        const PageBuffer buffer(bytes);
        Reader reader(rings->there, chunk, spin);
        rings->gate.meet(spin);
        const Stopwatch watch;
        for (std::size_t i = 0; i < messages; ++i) {
            reader.read(buffer.first(bytes));
        }
        seconds = watch.elapsed_seconds();
    };
    run_pinned_pair(processors, reading, [&] {
        const PageBuffer buffer(bytes);
        Writer writer(rings->there, chunk, spin);
        rings->gate.meet(spin);
        for (std::size_t i = 0; i < messages; ++i) {
            writer.write(buffer.first(bytes));
        }
    });
    return seconds / static_cast<double>(messages);
}

/// Seconds one message takes one way when the two sides take turns.
double alternating_seconds(const Processors& processors, std::size_t bytes, std::size_t chunk) {
    const Shared<Rings> rings;
    const Spin spin(processors);
    const std::size_t trips = messages_of(bytes, kMostTrips);
    double seconds = 0;
    const auto first = [&] {
        const PageBuffer out(bytes);
        const PageBuffer in(bytes);
        Writer writer(rings->there, chunk, spin);
        Reader reader(rings->back, chunk, spin);
        rings->gate.meet(spin);
        const Stopwatch watch;
        for (std::size_t i = 0; i < trips; ++i) {
            writer.write(out.first(bytes));
            reader.read(in.first(bytes));
        }
        seconds = watch.elapsed_seconds();
    };
    run_pinned_pair(processors, first, [&] {
        const PageBuffer out(bytes);
        const PageBuffer in(bytes);
        Reader reader(rings->there, chunk, spin);
        Writer writer(rings->back, chunk, spin);
        rings->gate.meet(spin);
        for (std::size_t i = 0; i < trips; ++i) {
            reader.read(in.first(bytes));
            writer.write(out.first(bytes));
        }
    });
    return seconds / 2 / static_cast<double>(trips);
}

double copied_seconds(std::size_t bytes) {
    const PageBuffer from(bytes);
    const PageBuffer to(bytes);
    const std::size_t copies = std::max<std::size_t>(4, kMovedBytes / bytes);
    const Stopwatch watch;
    for (std::size_t i = 0; i < copies; ++i) {
        std::memcpy(to.first(bytes).data(), from.first(bytes).data(), bytes);
        // Says that someone may look at the memory, so that no copy is left out.
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    return watch.elapsed_seconds() / static_cast<double>(copies);
}

double gb_per_second(std::size_t bytes, double seconds) { return static_cast<double>(bytes) / seconds / 1e9; }

}  // namespace

double memcpy_gb_per_second(std::size_t bytes, int repetitions) {
    return gb_per_second(bytes, median_of(repetitions, [&] { return copied_seconds(bytes); }));
}

PipelinedCopy pipelined_copy(const Processors& processors, std::size_t bytes, int repetitions) {
    const auto best = [&](auto&& seconds) {
        double least = std::numeric_limits<double>::infinity();
        for (const std::size_t chunk : kChunkSizes) {
            if (chunk > kChunkSizes.front() && chunk > bytes) break;
            const auto once = [&] { return seconds(processors, bytes, chunk); };
            least = std::min(least, median_of(repetitions, once));
        }
        return least;
    };
    return {gb_per_second(bytes, best(streamed_seconds)), best(alternating_seconds) * 1e6};
}

}  // namespace rb2::bench::limits
