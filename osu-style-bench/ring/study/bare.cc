#include "osu-style-bench/ring/study/bare.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "osu-style-bench/engine/statistics.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::bench::study {
namespace {

using rb2::ring::ShmChannel;
constexpr std::uint64_t kSlots = 1024;
constexpr std::uint64_t kRecords = 2'000'000;
constexpr std::uint32_t kBytes = rb2::ring::kLinePayloadBytes;
constexpr rb2::ring::Parameters kRing = rb2::ring::Parameters::messaging(kSlots);
constexpr std::size_t kBlockBytes = rb2::ring::BlockLayout{.inbound_slots = kSlots}.bytes();

struct Blocks {
    alignas(rb2::ring::kLinePairBytes) std::array<std::byte, kBlockBytes> sender;
    alignas(rb2::ring::kLinePairBytes) std::array<std::byte, kBlockBytes> receiver;
    limits::Gate gate;
};

/// Aborts on a lost peer, which in-place rings do not report: this is the forked side, which must not throw.
void produce(rb2::ring::Sender<rb2::ring::mix::Rb2InPlace, fabric::shm::Endpoint>& sender,
             const limits::Spin& spin) {
    for (std::uint64_t number = 0; number < kRecords; ++number) {
        rb2::ring::Claim claim;
        spin.until([&] { return bool(claim = sender.try_claim(kBytes)); });
        std::memcpy(claim.payload, &number, sizeof number);
        if (sender.commit(claim, 1, 0, kBytes) != Status::ok) std::abort();
    }
}

/// The sum of the numbers: it proves that every record came once.
std::uint64_t consume(rb2::ring::Receiver<rb2::ring::mix::Rb2InPlace, fabric::shm::Endpoint>& receiver,
                      const limits::Spin& spin) {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    spin.until([&] {
        count += static_cast<std::uint64_t>(receiver.drain(kSlots, [&](const rb2::ring::Record& record) {
            std::uint64_t number = 0;
            std::memcpy(&number, record.payload.data(), sizeof number);
            sum += number;
            return rb2::ring::Verdict::consumed;
        }));
        return count >= kRecords;
    });
    return sum;
}

double records_per_second(const limits::Processors& processors) {
    const limits::Shared<Blocks> blocks;
    const limits::Spin spin(processors);
    double seconds = 0;
    std::uint64_t sum = 0;
    const auto receive = [&] {
        ShmChannel channel(blocks->receiver, blocks->sender, kRing, kRing);
        blocks->gate.meet(spin);
        const Stopwatch watch;
        sum = consume(channel.receiver(), spin);
        seconds = watch.elapsed_seconds();
    };
    limits::run_pinned_pair(processors, receive, [&] {
        ShmChannel channel(blocks->sender, blocks->receiver, kRing, kRing);
        blocks->gate.meet(spin);
        produce(channel.sender(), spin);
    });
    if (sum != kRecords * (kRecords - 1) / 2) {
        throw std::runtime_error("the ring lost or repeated a record");
    }
    return static_cast<double>(kRecords) / seconds;
}

}  // namespace

BareRing measure_bare_ring(int rounds) {
    const limits::Processors processors = limits::usable_processors();
    std::vector<double> queues{limits::slots_per_second(processors, 1)};
    std::vector<double> rings;
    std::vector<double> parts;
    for (int round = 0; round < rounds; ++round) {
        const double before = queues.back();
        rings.push_back(records_per_second(processors));
        queues.push_back(limits::slots_per_second(processors, 1));
        parts.push_back(2 * rings.back() / (before + queues.back()));
    }
    return {median(std::move(queues)), median(std::move(rings)), median(std::move(parts))};
}

}  // namespace rb2::bench::study
