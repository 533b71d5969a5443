// A network function that measures: it gets a 40-byte record of every packet and counts packets and bytes by
// flow. Case study 1 of the RB² paper (section V-C), with generated traffic in place of its trace. The last
// rank measures, the others replay. Build: rb2c++ -std=c++20 flow_monitor.cc -o flow_monitor Run: rb2run -n 2
// ./flow_monitor [records per sender, default 2000000]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <rb2/rb2.hpp>
#include <unordered_map>

#include "zipf.hpp"

namespace {

struct PacketRecord {
    std::uint32_t source, destination;  // the flow key: addresses,
    std::uint16_t source_port, destination_port;
    std::uint32_t protocol;
    std::uint64_t timestamp_ns;
    std::uint64_t sequence;
    std::uint64_t bytes;
};
static_assert(sizeof(PacketRecord) == 40);

struct Totals {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
};

constexpr std::uint32_t kFlows = 20'000;
constexpr std::size_t kDraws = 1U << 16;

PacketRecord packet_of(std::uint32_t flow, std::uint64_t sequence) {
    return {0x0a000000U + flow, 0xc0a80001U,         static_cast<std::uint16_t>(flow), 443, 6, sequence * 100,
            sequence,           64 + sequence % 1400};
}

/// Writes every record straight into the monitor's ring.
Totals replay(const rb2::Communicator& world, int monitor, std::uint64_t records) {
    const auto flows = zipf_draws(kDraws, kFlows, static_cast<unsigned>(world.rank()) + 1);
    Totals sent;
    for (std::uint64_t i = 0; i < records; ++i) {
        auto slot = world.reserve<PacketRecord>(1, monitor).or_abort();
        slot.elements().front() = packet_of(flows[i % kDraws], i);
        sent.bytes += slot.elements().front().bytes;
        slot.commit();
    }
    sent.packets = records;
    return sent;
}

/// Counts each record where it lies.
Totals monitor(const rb2::Communicator& world, std::uint64_t records) {
    std::unordered_map<std::uint64_t, Totals> flows;
    flows.reserve(kFlows);
    const auto count = [&](const rb2::Message& message) {
        const PacketRecord& packet = message.as<PacketRecord>().front();
        Totals& flow = flows[std::uint64_t{packet.source} << 16 | packet.source_port];
        ++flow.packets;
        flow.bytes += packet.bytes;
    };
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < records; ++i) world.recv_in_place(rb2::kAnySource, 0, count).or_abort();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

    Totals all;
    for (const auto& [key, flow] : flows) all = {all.packets + flow.packets, all.bytes + flow.bytes};
    std::printf("%llu packets of %zu flows, %llu bytes: %.2f million records/s\n",
                static_cast<unsigned long long>(all.packets), flows.size(),
                static_cast<unsigned long long>(all.bytes),
                static_cast<double>(records) / took.count() / 1e6);
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const rb2::Environment rb2;
    const rb2::Communicator& world = rb2.world();
    const long long records = argc > 1 ? std::atoll(argv[1]) : 2'000'000;
    const int last = world.size() - 1;
    if (last == 0 || records < 1) {
        std::fputs("usage: rb2run -n RANKS flow_monitor [RECORDS]: at least 2 ranks, at least 1 record\n",
                   stderr);
        return 2;
    }
    const auto each = static_cast<std::uint64_t>(records);
    if (world.rank() < last) {
        world.send_value(replay(world, last, each), last, 1).or_abort();
        return 0;
    }
    const Totals seen = monitor(world, each * static_cast<std::uint64_t>(last));
    Totals sent;
    for (int rank = 0; rank < last; ++rank) {
        const auto part = world.recv_value<Totals>(rank, 1).or_abort();
        sent = {sent.packets + part.packets, sent.bytes + part.bytes};
    }
    return seen.packets == sent.packets && seen.bytes == sent.bytes ? 0 : 1;
}
