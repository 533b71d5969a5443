#pragma once
// What the loads carry. Both sides have one each of the same application: ask() fills a record, asked() takes
// it at the other side, answer() fills the reply, answered() takes that. The latter two say whether a record
// is right. Numbers count the records of one direction from 0.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "examples/zipf.hpp"
#include "osu-style-bench/ring/contents.hpp"
#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// Records that tell their number, both ways.
class Patterns {
  public:
    explicit Patterns(const Job& job) noexcept : contents_(job.check) {}

    static constexpr std::size_t request_bytes(const Job& job) { return job.bytes; }
    static constexpr std::size_t reply_bytes(const Job& job) { return job.reply_bytes; }

    void ask(std::span<std::byte> record, std::uint64_t number) const { contents_.write(record, number); }
    bool asked(std::span<const std::byte> record, std::uint64_t number) const {
        return contents_.right(record, number);
    }
    void answer(std::span<std::byte> record, std::uint64_t number) const { contents_.write(record, ~number); }
    bool answered(std::span<const std::byte> record, std::uint64_t number) const {
        return contents_.right(record, ~number);
    }

  private:
    Contents contents_;
};

/// A measuring network function: 40 bytes of each packet, counted by flow where they lie (rb2 paper, §V-C,
/// case 1, with generated traffic in place of its trace).
class Flows {
  public:
    explicit Flows(const Job&) : flows_(zipf_draws(kDraws, kFlows, 1)) { counted_.reserve(kFlows); }

    static constexpr std::size_t request_bytes(const Job&) { return sizeof(Packet); }
    static constexpr std::size_t reply_bytes(const Job& job) { return job.reply_bytes; }

    void ask(std::span<std::byte> record, std::uint64_t number) const {
        const Packet packet = packet_at(number);
        std::memcpy(record.data(), &packet, sizeof packet);
    }
    bool asked(std::span<const std::byte> record, std::uint64_t number) {
        Packet packet{};
        std::memcpy(&packet, record.data(), sizeof packet);
        Totals& flow = counted_[packet.source];
        ++flow.packets;
        flow.bytes += packet.bytes;
        return packet.sequence == number && packet.source == flow_at(number);
    }
    void answer(std::span<std::byte>, std::uint64_t) const {}
    bool answered(std::span<const std::byte>, std::uint64_t) const { return true; }

  private:
    struct Packet {
        std::uint32_t source, destination;  // the flow key: addresses,
        std::uint16_t source_port, destination_port;
        std::uint32_t protocol;
        std::uint64_t timestamp_ns, sequence, bytes;
    };
    static_assert(sizeof(Packet) == 40);
    struct Totals {
        std::uint64_t packets = 0;
        std::uint64_t bytes = 0;
    };

    static constexpr std::uint32_t kFlows = 20'000;
    static constexpr std::size_t kDraws = 1U << 16;

    [[nodiscard]] std::uint32_t flow_at(std::uint64_t number) const { return flows_[number % kDraws]; }
    [[nodiscard]] Packet packet_at(std::uint64_t number) const {
        const std::uint32_t flow = flow_at(number);
        return {flow,   0xc0a80001U,       static_cast<std::uint16_t>(flow), 443, 6, number * 100,
                number, 64 + number % 1400};
    }

    std::vector<std::uint32_t> flows_;
    std::unordered_map<std::uint32_t, Totals> counted_;
};

/// A key-value store that is only read: YCSB's workload C, 16-byte requests, 128-byte replies, zipfian keys
/// (rb2 paper, §V-C, case 2). At most kMostOpen requests at a time.
class Lookups {
  public:
    static constexpr std::uint64_t kMostOpen = 1024;

    explicit Lookups(const Job&) : keys_(zipf_draws(kDraws, kKeys, 1)) {
        table_.reserve(kKeys);
        for (std::uint64_t key = 0; key < kKeys; ++key) table_.emplace(key, value_of(key));
    }

    static constexpr std::size_t request_bytes(const Job&) { return sizeof(Request); }
    static constexpr std::size_t reply_bytes(const Job&) { return sizeof(Reply); }

    void ask(std::span<std::byte> record, std::uint64_t number) const {
        const Request request{key_at(number), number};
        std::memcpy(record.data(), &request, sizeof request);
    }
    bool asked(std::span<const std::byte> record, std::uint64_t number) {
        Request& request = open_[number % kMostOpen];
        std::memcpy(&request, record.data(), sizeof request);
        return request.number == number;
    }
    void answer(std::span<std::byte> record, std::uint64_t number) const {
        const Request& request = open_[number % kMostOpen];
        const Reply reply{request.number, table_.at(request.key)};
        std::memcpy(record.data(), &reply, sizeof reply);
    }
    bool answered(std::span<const std::byte> record, std::uint64_t number) const {
        Reply reply{};
        std::memcpy(&reply, record.data(), sizeof reply);
        return reply.number == number && reply.value == value_of(key_at(number));
    }

  private:
    using Value = std::array<std::uint64_t, 15>;
    struct Request {
        std::uint64_t key, number;
    };
    struct Reply {
        std::uint64_t number;
        Value value;
    };
    static_assert(sizeof(Request) == 16 && sizeof(Reply) == 128);

    static constexpr std::uint32_t kKeys = 100'000;
    static constexpr std::size_t kDraws = 1U << 16;

    [[nodiscard]] std::uint64_t key_at(std::uint64_t number) const { return keys_[number % kDraws]; }
    [[nodiscard]] static Value value_of(std::uint64_t key) {
        Value value;
        for (std::size_t i = 0; i < value.size(); ++i) value[i] = key * 31 + i;
        return value;
    }

    std::vector<std::uint32_t> keys_;
    std::unordered_map<std::uint64_t, Value> table_;
    std::array<Request, kMostOpen> open_{};
};

}  // namespace rb2::bench::study
