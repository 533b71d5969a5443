// The C++ interface with several ranks: messages both ways, in-place messages, requests, collectives, splits.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

#include "rb2/rb2.hpp"

namespace {

// Not std::source_location, which Debian 12's clang-tidy does not know.
void check(bool good, const char* what, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (good) return;
    std::cerr << file << ':' << line << ": not so: " << what << '\n';
    std::exit(1);
}

std::vector<long> numbers(std::size_t count, long first) {
    std::vector<long> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

void ring(const rb2::Communicator& world) {
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    for (const std::size_t count : {0u, 1u, 6u, 1000u, 9000u, 300'000u}) {
        std::vector<long> in(count);
        const auto status = world.sendrecv(numbers(count, world.rank()), right, 1, in, left, 1).or_abort();
        check(status.source == left && status.count<long>() == count, "status");
        check(in == numbers(count, left), "values from the left");
    }
}

/// Every rank writes into the ring of its right neighbour and reads from the left where the message lies.
void in_place(const rb2::Communicator& world) {
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    const std::size_t most = world.max_in_place(right).or_abort() / sizeof(long);
    for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{100}, most}) {
        for (int round = 0; round < 50; ++round) {
            auto slot = world.reserve<long>(count, right, round).or_abort();
            std::iota(slot.elements().begin(), slot.elements().end(), world.rank() + round);
            slot.commit();
            bool same = false;
            world
                .recv_in_place(left, round,
                               [&](const rb2::Message& message) {
                                   const auto expected = numbers(count, left + round);
                                   same = std::equal(message.as<long>().begin(), message.as<long>().end(),
                                                     expected.begin(), expected.end());
                               })
                .or_abort();
            check(same, "message read in place");
        }
    }
}

/// A message too long for one slot still reaches an in-place handler, whole.
void long_message_in_place(const rb2::Communicator& world) {
    const auto data = numbers(200'000, 3);
    const int peer = world.rank() ^ 1;
    if (peer >= world.size()) return;
    auto sent = world.isend(data, peer, 2).or_abort();
    bool same = false;
    world
        .recv_in_place(peer, 2,
                       [&](const rb2::Message& message) {
                           same = std::equal(message.as<long>().begin(), message.as<long>().end(),
                                             data.begin(), data.end());
                       })
        .or_abort();
    check(same, "long message in place");
    sent.wait().or_abort();
}

void all_to_one(const rb2::Communicator& world) {
    if (world.rank() != 0) {
        world.send_value(world.rank() * 10, 0, 5).or_abort();
        return;
    }
    std::vector<int> in(static_cast<std::size_t>(world.size() - 1));
    std::vector<rb2::Request> requests;
    for (int& value : in)
        requests.push_back(world.irecv(std::span(&value, 1), rb2::kAnySource, 5).or_abort());
    std::vector<rb2::RecvStatus> statuses(requests.size());
    rb2::wait_all(requests, statuses).or_abort();
    for (std::size_t i = 0; i < in.size(); ++i)
        check(in[i] == statuses[i].source * 10, "value of that source");
}

void collectives(const rb2::Communicator& world) {
    const int size = world.size();
    world.barrier().or_abort();
    std::vector<long> data = world.rank() == size - 1 ? numbers(1000, 7) : std::vector<long>(1000);
    world.bcast(data, size - 1).or_abort();
    check(data == numbers(1000, 7), "bcast");

    std::vector<long> total(1000);
    world.reduce(data, total, std::plus<>(), 0).or_abort();
    if (world.rank() == 0) check(total[3] == 10L * size, "reduce");
    std::vector<int> highest{world.rank(), -world.rank()};
    world.allreduce(highest, rb2::Maximum()).or_abort();
    check(highest == std::vector<int>{size - 1, 0}, "allreduce");

    // Not commutative: appending digits keeps the order of the ranks.
    struct Digits {
        long value;
        long scale;
    };
    std::vector<Digits> word{{world.rank() % 10, 10}};
    const auto append = [](const Digits& a, const Digits& b) {
        return Digits{a.value * b.scale + b.value, a.scale * b.scale};
    };
    long expected = 0;
    for (int rank = 0; rank < size; ++rank) expected = expected * 10 + rank % 10;
    std::vector<Digits> at_root(1);
    world.reduce(word, at_root, append, size - 1).or_abort();
    if (world.rank() == size - 1) check(at_root[0].value == expected, "reduce in rank order");
    world.allreduce(word, append).or_abort();
    check(word[0].value == expected, "allreduce in rank order");

    std::vector<int> ranks(static_cast<std::size_t>(size));
    world.allgather(std::array{world.rank()}, ranks).or_abort();
    std::vector<int> counted(ranks.size());
    std::iota(counted.begin(), counted.end(), 0);
    check(ranks == counted, "allgather");
}

void communicators(const rb2::Communicator& world) {
    const rb2::Communicator copy = world.dup().or_abort();
    check(copy.rank() == world.rank() && copy.size() == world.size(), "dup");
    collectives(copy);
    const auto half = world.split(world.rank() % 2, -world.rank()).or_abort();
    check(half.has_value(), "split");
    ring(*half);
    const auto none = world.split(world.rank() == 0 ? std::nullopt : std::optional(1)).or_abort();
    check(none.has_value() == (world.rank() != 0), "split without a color");
}

}  // namespace

int main() {
    const rb2::Environment environment;
    const rb2::Communicator& world = environment.world();
    ring(world);
    in_place(world);
    long_message_in_place(world);
    all_to_one(world);
    collectives(world);
    communicators(world);
    return 0;
}
