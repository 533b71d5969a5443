#include "runtime/mesh/node_segment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>

#include "runtime/bootstrap/nonce.hpp"
#include "tests/runtime/child_process.hpp"

namespace rb2::mesh {
namespace {

constexpr NodeSegment::Shape kShape{.places = 100, .slots = 64};

std::string fresh_name() { return memory::segment_name(::geteuid(), bootstrap::random_nonce(), 0); }

/// Memory that the object really takes.
std::size_t taken_bytes(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat(("/dev/shm/" + name).c_str(), &status), 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
}

TEST(NodeSegment, TakesMemoryForControlBlocksOnly) {
    const std::string name = fresh_name();
    const NodeSegment node = NodeSegment::create(name, kShape);
    EXPECT_GE(kShape.bytes(), std::size_t{100} * 100 * 64 * 64);
    EXPECT_EQ(taken_bytes(name), kShape.places * ControlBlock::kBytes);
}

TEST(NodeSegment, APairTakesTheMemoryOfItsTwoBlocks) {
    const std::string name = fresh_name();
    NodeSegment node = NodeSegment::create(name, kShape);
    const std::size_t before = taken_bytes(name);
    ASSERT_TRUE(node.reserve(3, 97));
    const std::size_t after = taken_bytes(name);
    EXPECT_GE(after - before, 2 * kShape.block_bytes());
    EXPECT_LE(after - before, 2 * (kShape.block_bytes() + 2 * 4096)) << "and what shares their pages";
    node.block(3, 97)[5] = std::byte{7};
    ASSERT_TRUE(node.reserve(97, 3)) << "the other side does the same";
    EXPECT_EQ(taken_bytes(name), after);
    EXPECT_EQ(node.block(3, 97)[5], std::byte{7}) << "what is there stays";
}

TEST(NodeSegment, NoTwoBlocksOverlap) {
    const NodeSegment node = NodeSegment::create(fresh_name(), {.places = 7, .slots = 64});
    std::set<std::byte*> starts;
    for (std::uint32_t owner = 0; owner < 7; ++owner)
        for (std::uint32_t peer = 0; peer < 7; ++peer) starts.insert(node.block(owner, peer).data());
    ASSERT_EQ(starts.size(), 49U);
    const std::size_t bytes = node.block(0, 0).size();
    EXPECT_EQ(bytes, ring::BlockLayout{64}.bytes());
    const auto too_near = [bytes](std::byte* a, std::byte* b) {
        return static_cast<std::size_t>(b - a) < bytes;
    };
    EXPECT_EQ(std::adjacent_find(starts.begin(), starts.end(), too_near), starts.end());
    auto* const last_control = reinterpret_cast<std::byte*>(&node.control(6));
    EXPECT_GE(*starts.begin(), last_control + ControlBlock::kBytes);
}

TEST(NodeSegment, AnotherProcessSeesTheSame) {
    const std::string name = fresh_name();
    NodeSegment node = NodeSegment::create(name, kShape);
    EXPECT_EQ(test::in_child([&] {
                  NodeSegment other = NodeSegment::attach(name, kShape.places);
                  if (other.shape().slots != kShape.slots || !other.reserve(1, 2)) return 1;
                  other.block(1, 2)[0] = std::byte{9};
                  other.control(1).callers.add(2);
                  return 0;
              }),
              0);
    EXPECT_TRUE(node.control(1).callers.any());
    EXPECT_EQ(node.block(1, 2)[0], std::byte{9});
}

TEST(NodeSegment, OneOfAnotherSizeIsRefused) {
    const std::string name = fresh_name();
    const NodeSegment node = NodeSegment::create(name, kShape);
    EXPECT_THROW((void)NodeSegment::attach(name, kShape.places + 1), StartupError);
    EXPECT_THROW((void)NodeSegment::attach(name, 100000), StartupError);
}

TEST(NodeSegment, MoreRanksThanCanCallAreRefused) {
    EXPECT_THROW((void)NodeSegment::create(fresh_name(), {.places = Callers::kMost + 1, .slots = 64}),
                 StartupError);
}

}  // namespace
}  // namespace rb2::mesh
