#pragma once
// Two joined endpoints with registered memory, and what the tests of them wait for.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/runtime/fabric/verbs/sides.hpp"

namespace rb2::fabric::test {

/// Completions until there are `count` of them.
template <class Endpoint>
std::vector<Completion> await(Endpoint& endpoint, std::size_t count) {
    std::vector<Completion> all;
    eventually([&] {
        const auto some = completions(endpoint);
        all.insert(all.end(), some.begin(), some.end());
        return all.size() >= count;
    });
    return all;
}

template <class Sides = RawVerbsSides>
class VerbsTest : public testing::Test {
  protected:
    [[nodiscard]] Source source(std::size_t at, std::size_t bytes) const {
        return sides_.memory_a.source(at, bytes, region_a_.key());
    }
    [[nodiscard]] Remote there(std::size_t at = 0) const { return region_b_.remote() + at; }
    void settle() {
        ASSERT_TRUE(eventually([this] { return sides_.a.settle(); }));
    }

    Sides sides_;
    verbs::Region region_a_ = sides_.a.register_memory(sides_.memory_a.bytes);
    verbs::Region region_b_ = sides_.b.register_memory(sides_.memory_b.bytes);
};

using Verbs = VerbsTest<>;
using VerbsMessages = VerbsTest<RawVerbsMessageSides>;

}  // namespace rb2::fabric::test
