#include "runtime/mesh/callers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace rb2::mesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> taken(Callers& callers, std::uint32_t places = Callers::kMost) {
    std::vector<std::uint32_t> all;
    callers.take(places, [&](std::uint32_t place) { all.push_back(place); });
    return all;
}

TEST(Callers, EachIsTakenOnceInOrder) {
    const auto callers = std::make_unique<Callers>();
    EXPECT_FALSE(callers->any());
    for (const std::uint32_t place : {700U, 0U, 63U, 64U, Callers::kMost - 1, 64U}) callers->add(place);
    EXPECT_TRUE(callers->any());
    EXPECT_THAT(taken(*callers), ElementsAre(0, 63, 64, 700, Callers::kMost - 1));
    EXPECT_FALSE(callers->any());
    EXPECT_THAT(taken(*callers), IsEmpty());
}

TEST(Callers, PlacesOfASmallNodeAreAllLookedAt) {
    const auto callers = std::make_unique<Callers>();
    for (const std::uint32_t place : {0U, 64U, 65U}) callers->add(place);
    EXPECT_THAT(taken(*callers, 66), ElementsAre(0, 64, 65));
}

TEST(Callers, OneThatCallsWhileOthersAreTakenIsNotLost) {
    const auto callers = std::make_unique<Callers>();
    callers->add(5);
    std::vector<std::uint32_t> all;
    callers->take(Callers::kMost, [&](std::uint32_t place) {
        if (place == 5) callers->add(3);  // behind the owner's back, where it has looked already
        all.push_back(place);
    });
    EXPECT_THAT(all, ElementsAre(5));
    EXPECT_TRUE(callers->any());
    EXPECT_THAT(taken(*callers), ElementsAre(3));
}

TEST(Callers, ManyThreadsCallAndNoneIsLost) {
    constexpr std::uint32_t thread_count = 4;
    constexpr std::uint32_t place_count = 4096;
    const auto callers = std::make_unique<Callers>();
    std::vector<std::uint32_t> memory(place_count);  // stands for the rings: written before the call
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&, thread] {
            for (std::uint32_t place = thread; place < place_count; place += thread_count) {
                memory[place] = place + 1;
                callers->add(place);
            }
        });
    }
    std::vector<int> seen(place_count);
    for (std::uint32_t met = 0; met < place_count;) {
        if (!callers->any()) continue;
        callers->take(place_count, [&](std::uint32_t place) {
            EXPECT_EQ(memory[place], place + 1);
            EXPECT_EQ(++seen[place], 1);
            ++met;
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace rb2::mesh
