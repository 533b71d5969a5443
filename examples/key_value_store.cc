// A key-value store under a read-only load: 16-byte requests, 128-byte replies, zipfian keys (YCSB's workload
// C). Case study 2 of the RB² paper (section V-C). Rank 0 serves, the others ask, 32 requests at a time.
// Build: rb2c++ -std=c++20 key_value_store.cc -o key_value_store
// Run: rb2run -n 2 ./key_value_store [requests per client, default 1000000]
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <rb2/rb2.hpp>
#include <unordered_map>

#include "zipf.hpp"

namespace {

struct Request {
    std::uint64_t key;
    std::uint64_t number;
};
struct Reply {
    std::uint64_t number;
    std::array<std::uint64_t, 15> value;
};
static_assert(sizeof(Request) == 16 && sizeof(Reply) == 128);

constexpr std::uint32_t kKeys = 100'000;
constexpr std::uint64_t kWindow = 32;

constexpr std::uint64_t word_of(std::uint64_t key, std::size_t index) { return key * 31 + index; }

std::unordered_map<std::uint64_t, std::array<std::uint64_t, 15>> load_table() {
    std::unordered_map<std::uint64_t, std::array<std::uint64_t, 15>> table;
    table.reserve(kKeys);
    for (std::uint64_t key = 0; key < kKeys; ++key) {
        auto& value = table[key];
        for (std::size_t i = 0; i < value.size(); ++i) value[i] = word_of(key, i);
    }
    return table;
}

/// Takes requests where they lie and writes each value straight into the client's ring.
void serve(const rb2::Communicator& world, std::uint64_t requests) {
    const auto table = load_table();
    world.barrier().or_abort();
    for (std::uint64_t i = 0; i < requests; ++i) {
        Request request{};
        const auto take = [&](const rb2::Message& message) { request = message.as<Request>().front(); };
        const auto from = world.recv_in_place(rb2::kAnySource, 0, take).or_abort();
        auto slot = world.reserve<Reply>(1, from.source).or_abort();
        slot.elements().front() = {request.number, table.at(request.key)};
        slot.commit();
    }
}

/// True when every reply was the right one.
bool ask(const rb2::Communicator& world, std::uint64_t requests) {
    const auto keys = zipf_draws(1U << 16, kKeys, static_cast<unsigned>(world.rank()));
    const auto key_of = [&](std::uint64_t number) { return keys[number % keys.size()]; };
    world.barrier().or_abort();
    const auto start = std::chrono::steady_clock::now();
    bool right = true;
    std::uint64_t sent = 0;
    for (std::uint64_t got = 0; got < requests; ++got) {
        for (; sent < requests && sent < got + kWindow; ++sent)
            world.send_value(Request{key_of(sent), sent}, 0).or_abort();
        const auto check = [&](const rb2::Message& message) {
            const Reply& reply = message.as<Reply>().front();
            right = right && reply.number == got && reply.value[14] == word_of(key_of(got), 14);
        };
        world.recv_in_place(0, 0, check).or_abort();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("client %d: %.2f million requests/s%s\n", world.rank(),
                static_cast<double>(requests) / took.count() / 1e6, right ? "" : ", and WRONG replies");
    return right;
}

}  // namespace

int main(int argc, char** argv) {
    const rb2::Environment rb2;
    const rb2::Communicator& world = rb2.world();
    const long long requests = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
    if (world.size() < 2 || requests < 1) {
        std::fputs(
            "usage: rb2run -n RANKS key_value_store [REQUESTS]: at least 2 ranks, at least 1 request\n",
            stderr);
        return 2;
    }
    const auto each = static_cast<std::uint64_t>(requests);
    if (world.rank() != 0) return ask(world, each) ? 0 : 1;
    serve(world, each * static_cast<std::uint64_t>(world.size() - 1));
    return 0;
}
