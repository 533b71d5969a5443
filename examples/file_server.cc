// A server of small files: a client asks for one by name and waits for it before it asks for the next.
// Case study 3 of the RB² paper (section V-C). Nothing is batched: each message goes out at once.
// Rank 0 serves files of 1 KiB, the others fetch. Build: rb2c++ -std=c++20 file_server.cc -o file_server
// Run: rb2run -n 2 ./file_server [requests per client, default 200000]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <rb2/rb2.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kGet = 1;
constexpr int kContents = 2;
constexpr std::size_t kFiles = 64;
constexpr std::size_t kFileBytes = 1024;

std::string name_of(std::size_t file) { return "/files/" + std::to_string(file) + ".html"; }
std::string contents_of(std::size_t file) { return std::string(kFileBytes, static_cast<char>('0' + file)); }

void serve(const rb2::Communicator& world, long long requests) {
    std::map<std::string, std::string, std::less<>> files;
    for (std::size_t file = 0; file < kFiles; ++file) files[name_of(file)] = contents_of(file);
    for (long long i = 0; i < requests; ++i) {
        std::string_view contents;
        const auto look_up = [&](const rb2::Message& message) {
            const auto name = message.as<char>();
            const auto file = files.find(std::string_view(name.data(), name.size()));
            contents = file == files.end() ? std::string_view() : file->second;
        };
        const auto from = world.recv_in_place(rb2::kAnySource, kGet, look_up).or_abort();
        world.send(contents, from.source, kContents).or_abort();
    }
}

struct Times {
    std::vector<Clock::duration> each;
    bool right = true;
};

Times fetch(const rb2::Communicator& world, long long requests) {
    Times times;
    times.each.reserve(static_cast<std::size_t>(requests));
    std::vector<char> page(kFileBytes);
    for (long long i = 0; i < requests; ++i) {
        const std::size_t file = static_cast<std::size_t>(i) % kFiles;
        const std::string name = name_of(file);
        const auto start = Clock::now();
        world.send(name, 0, kGet).or_abort();
        world.recv(page, 0, kContents).or_abort();
        times.each.push_back(Clock::now() - start);
        times.right =
            times.right && page.front() == '0' + static_cast<char>(file) && page.back() == page.front();
    }
    return times;
}

/// Requests per second and the slow end, in microseconds.
void report(int client, Times times) {
    std::sort(times.each.begin(), times.each.end());
    const auto at = [&](double part) {
        const auto index = static_cast<std::size_t>(part * static_cast<double>(times.each.size() - 1));
        return std::chrono::duration<double, std::micro>(times.each[index]).count();
    };
    std::chrono::duration<double> total{0};
    for (const Clock::duration time : times.each) total += time;
    std::printf("client %d: %.0f requests/s, median %.2f us, p99 %.2f us, p99.9 %.2f us%s\n", client,
                static_cast<double>(times.each.size()) / total.count(), at(0.5), at(0.99), at(0.999),
                times.right ? "" : ", and WRONG files");
}

}  // namespace

int main(int argc, char** argv) {
    const rb2::Environment rb2;
    const rb2::Communicator& world = rb2.world();
    const long long requests = argc > 1 ? std::atoll(argv[1]) : 200'000;
    if (world.size() < 2 || requests < 1) {
        std::fputs("usage: rb2run -n RANKS file_server [REQUESTS]: at least 2 ranks, at least 1 request\n",
                   stderr);
        return 2;
    }
    if (world.rank() == 0) {
        serve(world, requests * (world.size() - 1));
        return 0;
    }
    const Times times = fetch(world, requests);
    report(world.rank(), times);
    return times.right ? 0 : 1;
}
