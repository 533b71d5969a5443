#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/fabric/costed/costs.hpp"

namespace rb2::bench::study {

enum class Fabric : std::uint8_t {
    shm,     ///< shared memory as it is: a WRITE is a copy
    costed,  ///< the same, but every operation costs what it costs on a card (runtime/fabric/costed)
};

enum class Load : std::uint8_t {
    stream,    ///< one way, as fast as it goes
    exchange,  ///< a message there, a message back, `window` of them at a time
    flow,      ///< stream of 40-byte flow records that the receiver counts (rb2 paper, case study 1)
    lookup,    ///< exchange of 16-byte keys for 128-byte values (case study 2)
    crowd,     ///< one way between one server and `pairs` clients of one ring
};

/// What is done to be sure that what arrives is what was sent.
enum class Check : std::uint8_t {
    none,
    stamps,  ///< every byte before the timed part; during it the first and last words of each record
    all,     ///< every byte always
};

enum class Pages : std::uint8_t { normal, huge };

/// A ring in messages, as the rb2 paper counts: there a slot holds one message.
struct RingShape {
    std::uint64_t messages = 128;
    std::uint64_t alpha = 32;
    std::uint64_t beta = 16;
    std::uint64_t gamma = 32;
    std::size_t most_bytes = std::size_t{16} << 20;  ///< a ring of large messages is cut down to this
};

/// Everything that decides one measurement.
struct Job {
    Fabric fabric = Fabric::shm;
    Load load = Load::stream;
    std::size_t bytes = 64;        ///< of a message; the case studies have their own
    std::size_t reply_bytes = 64;  ///< of an answer
    std::uint64_t window = 1;      ///< messages asked before the first is answered
    std::uint64_t messages = 0;    ///< timed, per pair
    std::uint64_t warmup = 0;      ///< before them
    int pairs = 1;                 ///< of threads; in a crowd: clients
    RingShape shape;
    std::size_t slot_bytes = 0;  ///< 0: the subject's own choice
    fabric::costed::Costs costs;
    Pages pages = Pages::huge;
    std::optional<int> memory_node;  ///< NUMA node of all rings; else where they are first touched
    bool copies = false;             ///< messages are built in and read from memory outside of the ring
    Check check = Check::stamps;
};

/// What one measurement gave.
struct Figures {
    double seconds = 0;             ///< of the slowest pair
    std::uint64_t messages = 0;     ///< of all pairs
    std::vector<float> latency_us;  ///< exchanges: every round trip

    /// Another pair that ran at the same time.
    void add(const Figures& pair) {
        seconds = std::max(seconds, pair.seconds);
        messages += pair.messages;
        latency_us.insert(latency_us.end(), pair.latency_us.begin(), pair.latency_us.end());
    }
};

}  // namespace rb2::bench::study
