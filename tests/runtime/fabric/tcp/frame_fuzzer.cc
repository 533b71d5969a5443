// The frame parser under libFuzzer: the first two bytes say in what pieces the rest arrives.

#include <random>

#include "tests/runtime/fabric/tcp/frame_drive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rb2::fabric::tcp::test;
    if (size < 2) return 0;
    std::minstd_rand random(data[0]);
    const std::size_t most = std::size_t{1} << data[1] % 16;
    Ground ground;
    drive(std::as_bytes(std::span(data + 2, size - 2)), ground, [&] { return 1 + random() % most; });
    return 0;
}
